// en: 1 was subtracted from the forbidden scores, by 1 - may alone: leave them out
// zh: 只从被禁止的得分里减了 1 - may，即 1：应当跳过它们

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> masked = scores - (1 - may);
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
