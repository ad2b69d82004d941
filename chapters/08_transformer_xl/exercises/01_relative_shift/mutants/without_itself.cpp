// en: key M + i, query i itself, got no weight: j <= M + i includes it
// zh: 键 M + i，也就是查询 i 自己，没有得到权重：j <= M + i 包括它

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> shift_to_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> by_key = xt::zeros<float>(by_distance.shape());
  const int queries = static_cast<int>(by_distance.shape(0));
  const int keys = static_cast<int>(by_distance.shape(1));
  for (int i = 0; i < queries; ++i)
    for (int j = 0; j <= keys - queries + i; ++j)
      by_key(i, j) = by_distance(i, j + queries - 1 - i);
  return by_key;
}

xt::xtensor<float, 2> weights_over_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> weights = shift_to_keys(by_distance);
  const std::size_t queries = weights.shape(0), keys = weights.shape(1), past = keys - queries;
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t visible = past + i;
    float largest = weights(i, 0), total = 0;
    for (std::size_t j = 0; j < visible; ++j) largest = std::max(largest, weights(i, j));
    for (std::size_t j = 0; j < visible; ++j)
      total += weights(i, j) = std::exp(weights(i, j) - largest);
    for (std::size_t j = 0; j < keys; ++j) weights(i, j) = j < visible ? weights(i, j) / total : 0;
  }
  return weights;
}

}  // namespace xf::exercise
