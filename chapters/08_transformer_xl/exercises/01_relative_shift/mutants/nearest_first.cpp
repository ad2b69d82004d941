// en: column c was taken for the distance c: the farthest distance comes first
// zh: 把第 c 列当成了距离 c：排在最前的是最远的距离

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> shift_to_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> by_key = xt::zeros<float>(by_distance.shape());
  const int queries = static_cast<int>(by_distance.shape(0));
  const int keys = static_cast<int>(by_distance.shape(1));
  for (int i = 0; i < queries; ++i)
    for (int j = 0; j <= keys - queries + i; ++j) {
      const int column = keys - queries + i - j;
      if (column < keys) by_key(i, j) = by_distance(i, column);
    }
  return by_key;
}

xt::xtensor<float, 2> weights_over_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> weights = shift_to_keys(by_distance);
  const std::size_t queries = weights.shape(0), keys = weights.shape(1), past = keys - queries;
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t visible = past + i + 1;
    float largest = weights(i, 0), total = 0;
    for (std::size_t j = 0; j < visible; ++j) largest = std::max(largest, weights(i, j));
    for (std::size_t j = 0; j < visible; ++j)
      total += weights(i, j) = std::exp(weights(i, j) - largest);
    for (std::size_t j = 0; j < keys; ++j) weights(i, j) = j < visible ? weights(i, j) / total : 0;
  }
  return weights;
}

}  // namespace xf::exercise
