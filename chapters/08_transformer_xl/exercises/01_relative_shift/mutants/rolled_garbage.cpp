// en: the softmax ran over the whole row: what the circular shift brings round counts as scores
// zh: softmax 用了整行：循环移位绕回来的数也被当成得分

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> shift_to_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> by_key = xt::zeros<float>(by_distance.shape());
  const std::size_t queries = by_distance.shape(0), keys = by_distance.shape(1);
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t moved = queries - 1 - i;
    for (std::size_t j = 0; j < keys; ++j) by_key(i, j) = by_distance(i, (j + moved) % keys);
  }
  return by_key;
}

xt::xtensor<float, 2> weights_over_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> weights = shift_to_keys(by_distance);
  const std::size_t queries = weights.shape(0), keys = weights.shape(1);
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t visible = keys;
    float largest = weights(i, 0), total = 0;
    for (std::size_t j = 0; j < visible; ++j) largest = std::max(largest, weights(i, j));
    for (std::size_t j = 0; j < visible; ++j)
      total += weights(i, j) = std::exp(weights(i, j) - largest);
    for (std::size_t j = 0; j < keys; ++j) weights(i, j) = j < visible ? weights(i, j) / total : 0;
  }
  return weights;
}

}  // namespace xf::exercise
