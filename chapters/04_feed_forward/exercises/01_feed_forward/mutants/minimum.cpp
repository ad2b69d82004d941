// en: the minimum was taken: relu keeps what is positive
// zh: 取了最小值：relu 保留的是正数

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1)) + b_1;  // (T, Dff)
  const Matrix hidden = xt::minimum(before, 0.0f);                     // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;            // (T, D)
}

}  // namespace xf::exercise
