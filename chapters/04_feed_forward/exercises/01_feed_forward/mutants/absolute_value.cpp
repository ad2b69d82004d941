// en: the absolute value was taken: what is negative becomes 0, it does not change its sign
// zh: 取了绝对值：负数应变成 0，而不是变号

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1)) + b_1;  // (T, Dff)
  const Matrix hidden = xt::abs(before);                               // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;            // (T, D)
}

}  // namespace xf::exercise
