// en: eps was added above the line: it is added to the variance, inside the root
// zh: eps 加在了分子上：应加到方差上，在根号里面

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
    xt::row(out, t) = gamma * (centred + eps) / std::sqrt(variance) + beta;
  }
  return out;
}

}  // namespace xf::exercise
