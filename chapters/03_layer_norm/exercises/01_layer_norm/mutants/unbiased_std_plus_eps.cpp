// en: unbiased standard deviation, and eps outside the root: two mistakes often seen together
// zh: 用了无偏标准差，eps 又放在根号外：两处错误常常一起出现

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> layer_norm(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, float eps) {
  xt::xtensor<float, 2> out = x;
  const float features = static_cast<float>(x.shape(1));
  for (std::size_t t = 0; t < x.shape(0); ++t) {
    const float mean = xt::sum(xt::row(x, t))() / features;
    const xt::xtensor<float, 1> centred = xt::row(x, t) - mean;
    const float variance = xt::sum(centred * centred)() / (features - 1);
    xt::row(out, t) = gamma * centred / (std::sqrt(variance) + eps) + beta;
  }
  return out;
}

}  // namespace xf::exercise
