// en: the largest score was looked for from 0 on: a row of negative scores never reaches it
// zh: 找最大得分时从 0 起步：整行得分都为负时，最大值永远停在 0

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = xt::zeros<float>(scores.shape());
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    float largest = 0, total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) largest = std::max(largest, scores(t, s));
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) total += out(t, s) = std::exp(scores(t, s) - largest);
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
