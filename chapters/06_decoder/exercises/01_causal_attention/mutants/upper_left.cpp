// en: the mask is aligned with the upper left corner, s <= t: the M older keys were not counted
// zh: 掩码与左上角对齐，即 s <= t：没有算上更早的 M 个键

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> causal_attention(const xt::xtensor<float, 2>& q,
                                       const xt::xtensor<float, 2>& k,
                                       const xt::xtensor<float, 2>& v) {
  const int t = static_cast<int>(q.shape(0)), s = static_cast<int>(k.shape(0));
  Ids may = Ids::full({1, t, s}, 0);
  for (int i = 0; i < t; ++i)
    for (int j = 0; j < s; ++j) may[i * s + j] = j <= i;
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const Tensor scores = matmul(from_xt(q), from_xt(k), Transpose::yes).view({1, 1, t, s});
  const Tensor weights = softmax(scores, {.scale = 1 / root_dk, .mask = {may}}).view({t, s});
  return to_xt<2>(matmul(weights, from_xt(v)));
}

}  // namespace xf::exercise
