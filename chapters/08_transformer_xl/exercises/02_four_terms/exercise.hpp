#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// Z_ij = (q_i + u) . k_j + (q_i + v) . r_d,   d = M + i - j          Dai et al. 2019, 3.3
//   q: (B, T, D)   k: (B, H, S, Dk)   r: (B, H, S, Dk), r_{S-1} ... r_0   u, v: (D)
//   returns (B, H, T, S); what stands at j > M + i is masked afterwards
Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v);

// The four terms of Z one by one, each (B, H, T, S): what each of them says about key j.
struct ScoreTerms {
  Tensor content;   // q_i . k_j
  Tensor distance;  // q_i . r_d
  Tensor key;       // u . k_j, for every query the same
  Tensor position;  // v . r_d, the distance for anyone
};

//   as relative_scores();   what stands at j > M + i is masked afterwards
ScoreTerms score_terms(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v);

}  // namespace xf::exercise
