// en: the max was taken at the end: it stands between the two linear maps
// zh: max 放到了最后：它应在两次线性变换之间

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1)) + b_1;      // (T, Dff)
  const Matrix hidden = before;                                            // (T, Dff)
  const Matrix after = xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;  // (T, D)
  return xt::maximum(after, 0.0f);
}

}  // namespace xf::exercise
