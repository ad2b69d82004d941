#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Rows = xt::xtensor<float, 2>;
using Vector = xt::xtensor<float, 1>;

// y = gamma n,   n = x / r,   r = sqrt(mean(x^2) + eps), each row on its own.
//   x: (R, D)   gamma: (D)   returns (R, D)                     Zhang and Sennrich 2019, eq. 4
Rows rms_norm(const Rows& x, const Vector& gamma, float eps);

struct RmsNormGradients {
  Rows dx;        // (R, D)
  Vector dgamma;  // (D)
};

// Its backward.   dy: (R, D)
RmsNormGradients rms_norm_backward(const Rows& x, const Vector& gamma, const Rows& dy, float eps);

}  // namespace xf::exercise
