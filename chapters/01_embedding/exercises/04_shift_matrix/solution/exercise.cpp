#include "exercise.hpp"

namespace xf::exercise {

static double angle(int k, std::size_t i, std::size_t d) {
  return k * std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(d));
}

xt::xtensor<float, 2> shift_matrix(int k, int d) {
  const std::size_t size = static_cast<std::size_t>(d);
  xt::xtensor<float, 2> r = xt::zeros<float>({size, size});
  for (std::size_t i = 0; i < size / 2; ++i) {
    const float sine = static_cast<float>(std::sin(angle(k, i, size)));
    const float cosine = static_cast<float>(std::cos(angle(k, i, size)));
    r(2 * i, 2 * i) = cosine;
    r(2 * i, 2 * i + 1) = -sine;
    r(2 * i + 1, 2 * i) = sine;
    r(2 * i + 1, 2 * i + 1) = cosine;
  }
  return r;
}

xt::xtensor<float, 2> moved(const xt::xtensor<float, 2>& x, int k) {
  xt::xtensor<float, 2> y = x;
  for (std::size_t i = 0; i < x.shape(1) / 2; ++i) {
    const float s = static_cast<float>(std::sin(angle(k, i, x.shape(1))));
    const float c = static_cast<float>(std::cos(angle(k, i, x.shape(1))));
    for (std::size_t t = 0; t < x.shape(0); ++t) {
      y(t, 2 * i) = x(t, 2 * i) * c + x(t, 2 * i + 1) * s;
      y(t, 2 * i + 1) = x(t, 2 * i + 1) * c - x(t, 2 * i) * s;
    }
  }
  return y;
}

}  // namespace xf::exercise
