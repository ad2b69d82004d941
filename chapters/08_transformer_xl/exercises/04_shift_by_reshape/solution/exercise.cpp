#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> relative_shift(const xt::xtensor<float, 2>& x) {
  const std::size_t t = x.shape(0), s = x.shape(1);
  xt::xtensor<float, 2> padded = xt::zeros<float>({t, s + 1});
  xt::view(padded, xt::all(), xt::range(1, s + 1)) = x;
  xt::xtensor<float, 2> y = xt::zeros<float>({t, s});
  std::copy(padded.begin() + static_cast<int>(t), padded.end(), y.begin());
  return y;
}

xt::xtensor<float, 2> relative_shift_backward(const xt::xtensor<float, 2>& dy) {
  const std::size_t t = dy.shape(0), s = dy.shape(1);
  xt::xtensor<float, 2> dpadded = xt::zeros<float>({t, s + 1});
  std::copy(dy.begin(), dy.end(), dpadded.begin() + static_cast<int>(t));
  return xt::view(dpadded, xt::all(), xt::range(1, s + 1));
}

}  // namespace xf::exercise
