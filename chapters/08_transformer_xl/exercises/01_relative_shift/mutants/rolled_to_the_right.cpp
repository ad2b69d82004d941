// en: the rows were rolled to the right, as xt::roll does: y_ij = x_i,(j + T-1-i), so they move
//     to the left
// zh: 各行向右循环移动了（xt::roll 就是这样）：y_ij = x_i,(j + T-1-i)，应往左移

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> shift_to_keys(const xt::xtensor<float, 2>& by_distance) {
  xt::xtensor<float, 2> by_key = xt::zeros<float>(by_distance.shape());
  const std::size_t queries = by_distance.shape(0), keys = by_distance.shape(1);
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t moved = queries - 1 - i;
    for (std::size_t j = 0; j < keys; ++j) by_key(i, (j + moved) % keys) = by_distance(i, j);
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
