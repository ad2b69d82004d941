// en: divided by sqrt(T), the number of queries; it is sqrt(d_k), the width of a key
// zh: 除以了 sqrt(T)（查询的个数）；应该是 sqrt(d_k)（键的宽度）

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> causal_attention(const xt::xtensor<float, 2>& q,
                                       const xt::xtensor<float, 2>& k,
                                       const xt::xtensor<float, 2>& v) {
  const std::size_t queries = q.shape(0), keys = k.shape(0), past = keys - queries;
  const float root_dk = std::sqrt(static_cast<float>(queries));
  xt::xtensor<float, 2> weights = xt::linalg::dot(q, xt::transpose(k)) / root_dk;  // (T, S)
  for (std::size_t t = 0; t < queries; ++t) {
    const std::size_t visible = past + t + 1;
    float largest = weights(t, 0), total = 0;
    for (std::size_t s = 0; s < visible; ++s) largest = std::max(largest, weights(t, s));
    for (std::size_t s = 0; s < visible; ++s)
      total += weights(t, s) = std::exp(weights(t, s) - largest);
    for (std::size_t s = 0; s < keys; ++s) weights(t, s) = s < visible ? weights(t, s) / total : 0;
  }
  return xt::linalg::dot(weights, v);  // (T, Dv)
}

}  // namespace xf::exercise
