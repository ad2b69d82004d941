// en: the forbidden scores became -1: exp of it is no 0; leave them out
// zh: 被禁止的得分变成了 -1：它的 exp 不是 0；应当跳过

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> masked = xt::where(may > 0.5f, scores, -1.0f);
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
