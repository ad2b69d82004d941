// en: b_1 was added after the max: it must shift what the max decides on
// zh: b_1 加在了 max 之后：它应先加上，才能移动 max 的阈值

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1));  // (T, Dff)
  const Matrix hidden = xt::maximum(before, 0.0f) + b_1;         // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;      // (T, D)
}

}  // namespace xf::exercise
