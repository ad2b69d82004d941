// en: -100 stands for "forbidden": beside scores of -200 it is the largest; leave the forbidden
//     ones out
// zh: 用 -100 代表“禁止”：在 -200 的得分旁边它反而最大；被禁止的得分应当跳过

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> masked = xt::where(may > 0.5f, scores, -100.0f);
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
