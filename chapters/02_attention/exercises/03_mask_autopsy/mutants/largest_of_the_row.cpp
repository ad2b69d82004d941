// en: the largest number was taken from the whole row: a forbidden NaN or a much larger
//     forbidden score is in it
// zh: 最大值取自整行：被禁止的 NaN 或大得多的得分也算进去了

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = xt::zeros<float>(scores.shape());
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    const float largest = xt::amax(xt::row(scores, t))();
    float total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) total += out(t, s) = std::exp(scores(t, s) - largest);
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (total > 0) out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
