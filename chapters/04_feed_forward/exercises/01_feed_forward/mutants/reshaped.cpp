// en: a weight was given the turned shape without turning its numbers: xt::transpose swaps rows
//     and columns
// zh: 只把权重换成了转置后的形状，数没有转：xt::transpose 才会交换行和列

#include "exercise.hpp"

namespace xf::exercise {

static Matrix turned(Matrix w) {
  w.reshape({w.shape(1), w.shape(0)});
  return w;
}

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, turned(w_1)) + b_1;  // (T, Dff)
  const Matrix hidden = xt::maximum(before, 0.0f);              // (T, Dff)
  return xt::linalg::dot(hidden, turned(w_2)) + b_2;            // (T, D)
}

}  // namespace xf::exercise
