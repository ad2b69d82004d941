// en: the future was set to 0 before the softmax: a score of 0 has the weight exp(0) = 1
// zh: 在 softmax 之前把后文置 0：得分 0 的权重是 exp(0) = 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> shift_to_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> by_key = xt::zeros<float>(by_distance.shape());
  const std::size_t queries = by_distance.shape(0), keys = by_distance.shape(1);
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t moved = queries - 1 - i;
    for (std::size_t j = 0; j + moved < keys; ++j) by_key(i, j) = by_distance(i, j + moved);
  }
  return by_key;
}

xt::xtensor<float, 2> weights_over_keys(const xt::xtensor<float, 2>& by_distance) {
  return to_xt<2>(softmax(from_xt(shift_to_keys(by_distance))));
}

}  // namespace xf::exercise
