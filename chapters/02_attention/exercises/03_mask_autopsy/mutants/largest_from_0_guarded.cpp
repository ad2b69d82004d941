// en: the largest score was looked for from 0 on: the exponentials of a row of very negative
//     scores all vanish, and it looks like an empty one
// zh: 最大值从 0 开始找：得分很小的一行，指数全都变成 0，看起来就像什么都不许看的行

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = xt::zeros<float>(scores.shape());
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    float largest = 0, total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) largest = std::max(largest, scores(t, s));
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) total += out(t, s) = std::exp(scores(t, s) - largest);
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0 && total > 0) out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
