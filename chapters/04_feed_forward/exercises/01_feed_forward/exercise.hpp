#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Vector = xt::xtensor<float, 1>;
using Matrix = xt::xtensor<float, 2>;

// FFN(x) = max(0, x W_1^T + b_1) W_2^T + b_2                      Vaswani et al. 2017, eq. 2
//   x: (T, D)   w_1: (Dff, D)   b_1: (Dff)   w_2: (D, Dff)   b_2: (D)   returns (T, D)
Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2);

// y = x w^T + b
struct LinearMap {
  Matrix w;  // (out, in)
  Vector b;  // (out)
};

// The one map that the two are when the max between them is left out, for every x:
//   x w^T + b = (x W_1^T + b_1) W_2^T + b_2                       returns w: (D, D), b: (D)
LinearMap without_max(const Matrix& w_1, const Vector& b_1, const Matrix& w_2, const Vector& b_2);

}  // namespace xf::exercise
