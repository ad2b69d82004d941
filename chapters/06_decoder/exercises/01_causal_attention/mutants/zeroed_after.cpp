// en: softmax over all keys, the future zeroed afterwards: the rows no longer sum to 1
// zh: softmax 先对所有键做，之后才把后文清零：每行之和不再是 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> causal_attention(const xt::xtensor<float, 2>& q,
                                       const xt::xtensor<float, 2>& k,
                                       const xt::xtensor<float, 2>& v) {
  const std::size_t past = k.shape(0) - q.shape(0);
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const Tensor scores = matmul(from_xt(q), from_xt(k), Transpose::yes);
  xt::xtensor<float, 2> weights = to_xt<2>(softmax(scores, {.scale = 1 / root_dk}));
  for (std::size_t t = 0; t < q.shape(0); ++t)
    for (std::size_t s = past + t + 1; s < k.shape(0); ++s) weights(t, s) = 0;
  return xt::linalg::dot(weights, v);
}

}  // namespace xf::exercise
