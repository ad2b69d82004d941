// en: nothing is hidden: every query sees all S keys, the future too
// zh: 什么也没遮住：每个查询都看到全部 S 个键，包括后文

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> causal_attention(const xt::xtensor<float, 2>& q,
                                       const xt::xtensor<float, 2>& k,
                                       const xt::xtensor<float, 2>& v) {
  const int t = static_cast<int>(q.shape(0)), s = static_cast<int>(k.shape(0));
  Ids may = Ids::full({1, t, s}, 0);
  for (int i = 0; i < t; ++i)
    for (int j = 0; j < s; ++j) may[i * s + j] = 1;
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const Tensor scores = matmul(from_xt(q), from_xt(k), Transpose::yes).view({1, 1, t, s});
  const Tensor weights = softmax(scores, {.scale = 1 / root_dk, .mask = {may}}).view({t, s});
  return to_xt<2>(matmul(weights, from_xt(v)));
}

}  // namespace xf::exercise
