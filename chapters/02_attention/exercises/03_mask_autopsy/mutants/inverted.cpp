// en: the mask was read the wrong way round: 1 means "may", not "masked"
// zh: 掩码读反了：1 表示“可以看”，不是“遮住”

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const int t = static_cast<int>(scores.shape(0)), s = static_cast<int>(scores.shape(1));
  Ids allowed = Ids::full({1, t, s}, 0);
  for (int i = 0; i < t * s; ++i) allowed[i] = may.data()[i] > 0 ? 0 : 1;
  const Tensor wide = from_xt(scores).view({1, 1, t, s});
  return to_xt<2>(softmax(wide, {.mask = {allowed}}).view({t, s}));
}

}  // namespace xf::exercise
