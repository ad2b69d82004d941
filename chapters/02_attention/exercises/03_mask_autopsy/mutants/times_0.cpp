// en: 0 times NaN is NaN: leave the forbidden scores out, do not multiply them by 0
// zh: 0 乘 NaN 还是 NaN：被禁止的得分要跳过，而不是乘以 0

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = xt::zeros<float>(scores.shape());
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    float largest = -std::numeric_limits<float>::infinity(), total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) largest = std::max(largest, scores(t, s));
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      total += out(t, s) = may(t, s) * std::exp(scores(t, s) - largest);
    for (std::size_t s = 0; s < scores.shape(1); ++s) out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
