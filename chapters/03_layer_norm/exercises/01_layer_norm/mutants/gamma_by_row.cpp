// en: gamma(t) and beta(t) were used: each feature j has its own, each row uses them all
// zh: 用了 gamma(t)、beta(t)：它们按分量 j 取，每一行都用同一组

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
    xt::row(out, t) = gamma(t) * centred / std::sqrt(variance + eps) + beta(t);
  }
  return out;
}

}  // namespace xf::exercise
