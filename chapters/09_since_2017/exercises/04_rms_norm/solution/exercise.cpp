#include "exercise.hpp"

namespace xf::exercise {

static float root_of(const Rows& x, std::size_t row, float eps) {
  const std::size_t columns = x.shape()[1];
  float squares = 0;
  for (std::size_t j = 0; j < columns; ++j) squares += x(row, j) * x(row, j);
  return std::sqrt(squares / float(columns) + eps);
}

Rows rms_norm(const Rows& x, const Vector& gamma, float eps) {
  Rows y = x;
  for (std::size_t row = 0; row < x.shape()[0]; ++row) {
    const float r = root_of(x, row, eps);
    for (std::size_t j = 0; j < x.shape()[1]; ++j) y(row, j) = gamma(j) * x(row, j) / r;
  }
  return y;
}

RmsNormGradients rms_norm_backward(const Rows& x, const Vector& gamma, const Rows& dy, float eps) {
  const std::size_t rows = x.shape()[0], columns = x.shape()[1];
  RmsNormGradients out = {x, xt::zeros<float>({columns})};
  for (std::size_t row = 0; row < rows; ++row) {
    const float r = root_of(x, row, eps);
    float mean_gn = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const float n = x(row, j) / r, g = gamma(j) * dy(row, j);
      mean_gn += g * n / float(columns);
      out.dgamma(j) += dy(row, j) * n;
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const float n = x(row, j) / r, g = gamma(j) * dy(row, j);
      out.dx(row, j) = (g - n * mean_gn) / r;
    }
  }
  return out;
}

}  // namespace xf::exercise
