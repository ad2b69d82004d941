// en: the scores were not divided by sqrt(d_k)
// zh: 得分没有除以 sqrt(d_k)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> causal_attention(const xt::xtensor<float, 2>& q,
                                       const xt::xtensor<float, 2>& k,
                                       const xt::xtensor<float, 2>& v) {
  const int t = static_cast<int>(q.shape(0)), s = static_cast<int>(k.shape(0));
  Ids may = Ids::full({1, t, s}, 0);
  for (int i = 0; i < t; ++i)
    for (int j = 0; j < s; ++j) may[i * s + j] = j <= s - t + i;
  const Tensor scores = matmul(from_xt(q), from_xt(k), Transpose::yes).view({1, 1, t, s});
  const Tensor weights = softmax(scores, {.scale = 1, .mask = {may}}).view({t, s});
  return to_xt<2>(matmul(weights, from_xt(v)));
}

}  // namespace xf::exercise
