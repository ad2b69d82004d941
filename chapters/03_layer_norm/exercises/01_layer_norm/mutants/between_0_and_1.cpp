// en: the row was laid between 0 and 1: it is divided by sigma, not by largest - smallest
// zh: 把一行压到了 0 到 1 之间：应除以 sigma，不是最大值减最小值

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> layer_norm(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, float eps) {
  xt::xtensor<float, 2> out = x;
  const float features = static_cast<float>(x.shape(1));
  for (std::size_t t = 0; t < x.shape(0); ++t) {
    const float mean = xt::sum(xt::row(x, t))() / features;
    const xt::xtensor<float, 1> centred = xt::row(x, t) - mean;
    const float variance = xt::sum(centred * centred)() / features;
    xt::row(out, t) = gamma * (xt::row(x, t) - xt::amin(xt::row(x, t))()) /
                          (xt::amax(xt::row(x, t))() - xt::amin(xt::row(x, t))() + eps) +
                      beta;
  }
  return out;
}

}  // namespace xf::exercise
