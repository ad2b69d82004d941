// en: the weights were zeroed after the softmax: the rows no longer sum to 1
// zh: 在 softmax 之后才把权重清零：每行之和不再是 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  const xt::xtensor<float, 2> weights = to_xt<2>(softmax(from_xt(scores)));
  return weights * may;
}

}  // namespace xf::exercise
