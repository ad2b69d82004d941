// en: only the first row was normalised: the loop must reach every row
// zh: 只归一化了第一行：循环要走遍每一行

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> layer_norm(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, float eps) {
  xt::xtensor<float, 2> out = x;
  const float features = static_cast<float>(x.shape(1));
  for (std::size_t t = 0; t < 1; ++t) {
    const float mean = xt::sum(xt::row(x, t))() / features;
    const xt::xtensor<float, 1> centred = xt::row(x, t) - mean;
    const float variance = xt::sum(centred * centred)() / features;
    xt::row(out, t) = gamma * centred / std::sqrt(variance + eps) + beta;
  }
  return out;
}

}  // namespace xf::exercise
