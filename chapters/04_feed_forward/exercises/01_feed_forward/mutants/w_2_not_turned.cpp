// en: W_2 was not transposed: it is stored as (out, in), dot wants (in, out)
// zh: W_2 没有转置：它按 (out, in) 存放，dot 要的是 (in, out)

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1)) + b_1;  // (T, Dff)
  const Matrix hidden = xt::maximum(before, 0.0f);                     // (T, Dff)
  return xt::linalg::dot(hidden, w_2) + b_2;                           // (T, D)
}

}  // namespace xf::exercise
