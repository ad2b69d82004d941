#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Rows = xt::xtensor<float, 2>;

// Row t stands at position first + t; its pair i, (x_i, x_(i + D/2)), is turned by the angle
//   a = (first + t) base^(-2i / D):                                         Su et al. 2021, eq. 15
//   y_i = x_i cos a - x_(i + D/2) sin a,   y_(i + D/2) = x_(i + D/2) cos a + x_i sin a
// as in the published models. (The paper pairs neighbours, x_(2i) and x_(2i + 1): its eq. 34.)
//   x: (T, D), D even   returns (T, D)
Rows rotate(const Rows& x, int first, float base);

// The gradient of x, from that of rotate(x, first, base).   dy: (T, D)   returns (T, D)
Rows rotate_backward(const Rows& dy, int first, float base);

}  // namespace xf::exercise
