// en: x was cut at 0, not the hidden layer: the max stands between the two linear maps
// zh: 截断的是 x，不是隐藏层：max 应在两次线性变换之间

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(xt::maximum(x, 0.0f), xt::transpose(w_1)) + b_1;
  const Matrix hidden = before;                              // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;  // (T, D)
}

}  // namespace xf::exercise
