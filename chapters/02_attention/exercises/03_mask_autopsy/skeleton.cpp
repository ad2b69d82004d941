#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  TODO("02-03: my/02-03_mask_autopsy.cpp");
  const xt::xtensor<float, 2> masked = scores * may;
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
