#pragma once

#include "autograd/tape.hpp"

namespace xf {

// The scores of relative attention in one piece:
//   y = q_u k^T + relative_shift(q_v r^T)                             Dai et al. 2019, appendix B
// The second product is never stored by distance: its row i, written with the rows S + 1 apart
// instead of S, lands shifted, on top of the first. And one r serves every sentence. What the
// readable form costs beside its products, three passes over the scores and B copies of r, goes.
//   q_u, q_v: (B, H, T, Dk)   k: (B, H, S, Dk), S >= T
//   r: (1, H, R, Dk), R >= S, of which the last S rows count        returns (B, H, T, S)
//
// Above the diagonal j = i + S - T stands garbage, which the mask of the softmax must forbid; the
// gradient that comes back for it must be 0, as softmax's is.
// backward: dq_u = dy k, dk = dy^T q_u, and with dp for dy by distance dq_v = dp r, dr = the sum
// over the sentences of dp^T q_v.
// Throws std::invalid_argument when the shapes do not fit.
Tensor shifted_scores(const Tensor& q_u, const Tensor& k, const Tensor& q_v, const Tensor& r);

}  // namespace xf
