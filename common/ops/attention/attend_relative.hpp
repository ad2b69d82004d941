#pragma once

#include "autograd/tape.hpp"
#include "ops/mask.hpp"

namespace xf {

// Relative attention in one op, head by head:
//   y = dropout(softmax(scale (q_u k^T + relative_shift(q_v r^T)))) v
//                                                                   Dai et al. 2019, appendix B
// Step by step it is relative_scores() of chapter 8, softmax, dropout and matmul, against which it
// is tested. Their four (B, H, T, S) tensors do not fit in the caches and dominated a training
// step; here a head's scores are used while they are in the cache, and only the softmax is kept for
// the backward pass. The shift costs nothing: row i of q_v r^T, written with a stride of S + 1
// instead of S, lands on its keys. All sentences share one r. Keys after the last query of a block
// are skipped.
//   q_u, q_v: (B, H, T, Dk)   k, v: (B, H, S, Dk), S >= T   returns (B, H, T, Dk)
//   r: (1, H, R, Dk), R >= S, of which only the last S rows are used
// A recorder gets the weights, the softmax (B, H, T, S) before dropout.
struct RelativeAttentionOptions {
  float scale = 1.0f;
  Mask mask = {};     // (B|1, T, S); must forbid the future, j > i + S - T
  float dropout = 0;  // of the weights; only while a Training is alive
};
// backward, with p the softmax, m the dropout factors, o = dy v^T:
//   dv = (m p)^T dy   ds = scale p (m o - sum over the keys of m o p)
//   dq_u = ds k   dk = ds^T q_u   dq_v = ds' r   dr = the sum over the sentences of ds'^T q_v
// where ds' is ds indexed by distance. Throws std::invalid_argument if the shapes do not fit, the
// scale is not positive, or the dropout rate is not in [0, 1).
Tensor attend_relative(const Tensor& q_u, const Tensor& q_v, const Tensor& k, const Tensor& v,
                       const Tensor& r, const RelativeAttentionOptions& options);

}  // namespace xf
