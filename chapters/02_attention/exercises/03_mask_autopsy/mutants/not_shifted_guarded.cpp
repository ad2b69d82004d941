// en: exp of the scores as they are: 500 overflows, and the exponentials of a row of -200 all
//     vanish, so that it looks like an empty one
// zh: 直接对得分取了 exp：500 会溢出，-200 的一行指数全都变成 0，看起来就像什么都不许看的行

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = xt::zeros<float>(scores.shape());
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    float total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) total += out(t, s) = std::exp(scores(t, s));
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0 && total > 0) out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
