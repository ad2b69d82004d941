// en: the softmax ran over the whole row: the garbage that the shift leaves counts as scores
// zh: softmax 用了整行：移位留下的垃圾也被当成得分

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> shift_to_keys(const xt::xtensor<float, 2>& by_distance) {
  return to_xt<2>(relative_shift(from_xt(by_distance)));
}

xt::xtensor<float, 2> weights_over_keys(const xt::xtensor<float, 2>& by_distance) {
  return to_xt<2>(softmax(from_xt(shift_to_keys(by_distance))));
}

}  // namespace xf::exercise
