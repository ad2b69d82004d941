// en: 100 was subtracted: too little beside 60 and -200, and NaN stays NaN; leave the forbidden
//     ones out
// zh: 减去了 100：在 60 和 -200 旁边不够大，NaN 也仍是 NaN；被禁止的得分应当跳过

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> masked = scores - 100.0f * (1 - may);
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
