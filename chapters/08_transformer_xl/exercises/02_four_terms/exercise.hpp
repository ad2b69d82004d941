#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// Z_ij = (q_i + u) . k_j + (q_i + v) . r_d,   d = M + i - j          Dai et al. 2019, 3.3
//   q: (B, T, D)   k: (B, H, S, Dk)   r: (B, H, S, Dk), r_{S-1} ... r_0   u, v: (D)
//   returns (B, H, T, S); what stands at j > M + i is masked afterwards
Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v);

}  // namespace xf::exercise
