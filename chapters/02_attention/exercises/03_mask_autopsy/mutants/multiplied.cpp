// en: the scores were multiplied by the mask: a score of 0 still gets the weight exp(0) = 1
// zh: 把得分乘以掩码：得分 0 仍会得到权重 exp(0) = 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> masked = scores * may;
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
