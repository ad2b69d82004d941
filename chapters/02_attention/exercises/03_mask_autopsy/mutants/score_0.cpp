// en: the forbidden scores became 0: exp(0) = 1, they still get weight
// zh: 被禁止的得分变成了 0：exp(0) = 1，仍有权重

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> masked = xt::where(may > 0.5f, scores, 0.0f);
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
