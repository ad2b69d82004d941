#include "exercise.hpp"

namespace xf::exercise {

Dropped dropout_forward(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 2>& u, float p,
                        bool training) {
  xt::xtensor<float, 2> mask = xt::ones<float>(x.shape());
  if (training)
    for (std::size_t i = 0; i < x.shape(0); ++i)
      for (std::size_t j = 0; j < x.shape(1); ++j) mask(i, j) = u(i, j) >= p ? 1 / (1 - p) : 0.0f;
  return {x * mask, mask};
}

xt::xtensor<float, 2> dropout_backward(const xt::xtensor<float, 2>& dy, const Dropped& dropped) {
  return dy * dropped.mask;
}

xt::xtensor<float, 2> expected_square(const xt::xtensor<float, 2>& x, float p) {
  return x * x / (1 - p);
}

}  // namespace xf::exercise
