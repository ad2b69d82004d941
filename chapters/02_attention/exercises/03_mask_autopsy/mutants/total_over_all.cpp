// en: forbidden scores are in the total, as when the mask comes after the softmax: the rows do
//     not sum to 1
// zh: 被禁止的得分也在总和里（softmax 之后才掩码也是这样）：每行之和不是 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = xt::zeros<float>(scores.shape());
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    float largest = -std::numeric_limits<float>::infinity(), total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) largest = std::max(largest, scores(t, s));
    for (std::size_t s = 0; s < scores.shape(1); ++s) {
      const float weight = std::exp(scores(t, s) - largest);
      total += weight;
      if (may(t, s) > 0) out(t, s) = weight;
    }
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
