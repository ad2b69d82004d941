// en: infinity was multiplied by 1 - may: infinity times 0 is NaN; choose by may, multiply
//     nothing
// zh: 用无穷大乘了 1 - may：无穷大乘 0 是 NaN；应按 may 取舍，不要相乘

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const float infinity = std::numeric_limits<float>::infinity();
  const xt::xtensor<float, 2> masked = scores - infinity * (1 - may);
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
