// en: the max was taken at the end too: the output may be negative
// zh: 最后又取了一次 max：输出可以是负的

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1)) + b_1;  // (T, Dff)
  const Matrix hidden = xt::maximum(before, 0.0f);                     // (T, Dff)
  return xt::maximum(xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2, 0.0f);
}

}  // namespace xf::exercise
