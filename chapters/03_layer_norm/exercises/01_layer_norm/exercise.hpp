#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// LayerNorm(x) = gamma (x - mean) / sqrt(variance + eps) + beta, for each row on its own; the
// variance is divided by D.                                              Ba et al. 2016, eq. 4
//   x: (T, D)   gamma, beta: (D)   returns (T, D)
xt::xtensor<float, 2> layer_norm(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, float eps);

}  // namespace xf::exercise
