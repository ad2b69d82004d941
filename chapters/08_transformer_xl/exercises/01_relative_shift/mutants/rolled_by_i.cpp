// en: row i was rolled by i: it is the last row that stays where it is, not the first
// zh: 第 i 行循环移动了 i 格：不动的是最后一行，不是第一行

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> shift_to_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> by_key = xt::zeros<float>(by_distance.shape());
  const std::size_t queries = by_distance.shape(0), keys = by_distance.shape(1);
  for (std::size_t i = 0; i < queries; ++i) {
    for (std::size_t j = 0; j < keys; ++j) by_key(i, j) = by_distance(i, (j + i) % keys);
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
