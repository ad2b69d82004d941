// en: every allowed key got the same weight: the weights come from the scores
// zh: 允许的键权重都一样：权重应由得分算出

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
      if (may(t, s) > 0) total += out(t, s) = std::exp(scores(t, s) - largest);
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) out(t, s) = 1 / xt::sum(xt::row(may, t))();
  }
  return out;
}

}  // namespace xf::exercise
