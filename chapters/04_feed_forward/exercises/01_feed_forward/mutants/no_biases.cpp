// en: the biases are missing: FFN(2x) would be 2 FFN(x), whatever was learned
// zh: 漏了偏置：不管学到什么，都会有 FFN(2x) = 2 FFN(x)

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1));  // (T, Dff)
  const Matrix hidden = xt::maximum(before, 0.0f);               // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2));            // (T, D)
}

}  // namespace xf::exercise
