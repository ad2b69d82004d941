#include "exercise.hpp"

namespace xf::exercise {

Matrix feed_forward(const Matrix& x, const Matrix& w_1, const Vector& b_1, const Matrix& w_2,
                    const Vector& b_2) {
  const Matrix before = xt::linalg::dot(x, xt::transpose(w_1)) + b_1;  // (T, Dff)
  const Matrix hidden = xt::maximum(before, 0.0f);                     // (T, Dff)
  return xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;            // (T, D)
}

LinearMap without_max(const Matrix& w_1, const Vector& b_1, const Matrix& w_2, const Vector& b_2) {
  LinearMap one{xt::linalg::dot(w_2, w_1), b_2};  // (D, Dff) by (Dff, D) is (D, D)
  for (std::size_t d = 0; d < w_2.shape(0); ++d)
    for (std::size_t h = 0; h < w_2.shape(1); ++h) one.b(d) += w_2(d, h) * b_1(h);
  return one;
}

}  // namespace xf::exercise
