// en: the scores were divided by the lengths of q and k as well: only by sqrt(d_k)
// zh: 得分还除以了 q 和 k 的模长：只除以 sqrt(d_k)

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
  xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k)) / root_dk;
  for (std::size_t t = 0; t < q.shape(0); ++t)
    for (std::size_t s = 0; s < k.shape(0); ++s) {
      const float q_q = xt::sum(xt::row(q, t) * xt::row(q, t))();
      const float k_k = xt::sum(xt::row(k, s) * xt::row(k, s))();
      scores(t, s) /= std::sqrt(q_q * k_k);
    }                                               // (T, S)
  return xt::linalg::dot(softmax_rows(scores), v);  // (T, Dv)
}

}  // namespace xf::exercise
