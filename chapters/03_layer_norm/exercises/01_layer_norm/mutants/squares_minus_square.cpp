// en: mean(x^2) - mean(x)^2: far from 0 two large numbers cancel and leave rounding errors;
//     average (x - mean)^2
// zh: 写成了 mean(x^2) - mean(x)^2：远离 0 时两个大数相减只剩舍入误差；应对
//     (x - mean)^2 取平均

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> layer_norm(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, float eps) {
  xt::xtensor<float, 2> out = x;
  const float features = static_cast<float>(x.shape(1));
  for (std::size_t t = 0; t < x.shape(0); ++t) {
    const float mean = xt::sum(xt::row(x, t))() / features;
    const xt::xtensor<float, 1> centred = xt::row(x, t) - mean;
    const float variance = xt::sum(xt::row(x, t) * xt::row(x, t))() / features - mean * mean;
    xt::row(out, t) = gamma * centred / std::sqrt(variance + eps) + beta;
  }
  return out;
}

}  // namespace xf::exercise
