// en: the maximum was taken with 1: relu compares with 0
// zh: 与 1 取了最大值：relu 是与 0 比较

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1)) + b_1;  // (T, Dff)
  const Matrix hidden = xt::maximum(before, 1.0f);                     // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;            // (T, D)
}

}  // namespace xf::exercise
