// en: the softmax saw the forbidden scores, and was divided by what was left: NaN and the largest
//     score are in it for good
// zh: softmax 已经算进了被禁止的得分，之后才重新归一化：NaN 和最大的得分都已混入，除不掉

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = to_xt<2>(softmax(from_xt(scores)));
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    float total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      total += out(t, s) = may(t, s) > 0 ? out(t, s) : 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (total > 0) out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
