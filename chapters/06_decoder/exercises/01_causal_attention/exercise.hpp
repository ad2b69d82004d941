#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// Attention in which query t, at position M + t of the S keys, sees the keys s <= M + t only.
//   q: (T, Dk)   k: (S, Dk)   v: (S, Dv)   M = S - T >= 0   returns (T, Dv)
xt::xtensor<float, 2> causal_attention(const xt::xtensor<float, 2>& q,
                                       const xt::xtensor<float, 2>& k,
                                       const xt::xtensor<float, 2>& v);

}  // namespace xf::exercise
