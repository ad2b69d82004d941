// en: x * w_1 multiplies element by element: the product of matrices is xt::linalg::dot
// zh: x * w_1 是逐元素相乘：矩阵乘积要用 xt::linalg::dot

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = x * w_1 + b_1;                       // (T, Dff)
  const Matrix hidden = xt::maximum(before, 0.0f);           // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;  // (T, D)
}

}  // namespace xf::exercise
