// en: the root was cut to a whole number: sqrt(d_k) is a float
// zh: 平方根被截成了整数：sqrt(d_k) 是浮点数

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
  const float root_dk =
      static_cast<float>(static_cast<int>(std::sqrt(static_cast<float>(q.shape(1)))));
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k)) / root_dk;  // (T, S)
  return xt::linalg::dot(softmax_rows(scores), v);                                      // (T, Dv)
}

}  // namespace xf::exercise
