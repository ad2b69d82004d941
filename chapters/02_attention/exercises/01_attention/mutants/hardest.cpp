// en: the largest score got the whole weight: the softmax shares it among all keys
// zh: 把全部权重给了得分最大的键：softmax 把权重分给所有键

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  xt::xtensor<float, 2> out = scores;
  for (std::size_t t = 0; t < out.shape(0); ++t) {
    const float largest = xt::amax(xt::row(out, t))();
    for (std::size_t s = 0; s < out.shape(1); ++s) out(t, s) = out(t, s) == largest ? 1.0f : 0.0f;
    const float total = xt::sum(xt::row(out, t))();
    xt::row(out, t) /= total;
  }
  return out;
}

xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v) {
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k)) / root_dk;  // (T, S)
  return xt::linalg::dot(softmax_rows(scores), v);                                      // (T, Dv)
}

}  // namespace xf::exercise
