// en: a large negative number was added: NaN stays NaN, an empty row becomes uniform
// zh: 加了一个很大的负数：NaN 仍是 NaN，全禁止的行变成均匀分布

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> masked = scores - 1e9f * (1 - may);
  return to_xt<2>(softmax(from_xt(masked)));
}

}  // namespace xf::exercise
