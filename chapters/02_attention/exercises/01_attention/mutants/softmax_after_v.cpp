// en: the softmax came after the product with V: the weights are softmax(scores), then come the
//     values
// zh: 先乘了 V 才做 softmax：先由 softmax(得分) 得到权重，再乘值

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
  const xt::xtensor<float, 2> y = xt::linalg::dot(scores, v);
  return softmax_rows(y);  // (T, Dv)
}

}  // namespace xf::exercise
