// en: 10000 was subtracted: NaN stays NaN, an empty row keeps its weights
// zh: 减去了 10000：NaN 仍是 NaN，全禁止的行权重不变

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> masked = scores - 10000.0f * (1 - may);
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
