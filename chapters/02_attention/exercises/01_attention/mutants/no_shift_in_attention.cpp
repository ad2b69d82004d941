// en: attention took exp of the scores as they are: large ones overflow; call softmax_rows
// zh: attention 里直接对得分取了 exp：得分一大就溢出；应调用 softmax_rows

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
  xt::xtensor<float, 2> weights = xt::exp(scores);
  for (std::size_t t = 0; t < weights.shape(0); ++t) {
    const float total = xt::sum(xt::row(weights, t))();
    xt::row(weights, t) /= total;
  }
  return xt::linalg::dot(weights, v);  // (T, Dv)
}

}  // namespace xf::exercise
