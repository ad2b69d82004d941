// en: the max is missing: two linear maps in a row are one, and learn no more than one
// zh: 漏了 max：两次线性变换连起来仍是一次线性变换，学不到更多东西

#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1)) + b_1;  // (T, Dff)
  const Matrix hidden = before;                                        // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;            // (T, D)
}

}  // namespace xf::exercise
