// en: attention took the softmax over the queries, of the transposed scores: each query's weights
//     sum to 1
// zh: attention 对转置后的得分做了 softmax，成了沿查询归一：应是每个查询的权重之和为 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  xt::xtensor<float, 2> out = scores;
  for (std::size_t t = 0; t < out.shape(0); ++t) {
    const float largest = xt::amax(xt::row(out, t))();
    xt::row(out, t) = xt::exp(xt::row(out, t) - largest);
    const float total = xt::sum(xt::row(out, t))();
    xt::row(out, t) /= total;
  }
  return out;
}

xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v) {
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k)) / root_dk;  // (T, S)
  const xt::xtensor<float, 2> turned = xt::transpose(scores);
  const xt::xtensor<float, 2> by_key = softmax_rows(turned);
  const xt::xtensor<float, 2> weights = xt::transpose(by_key);
  return xt::linalg::dot(weights, v);  // (T, Dv)
}

}  // namespace xf::exercise
