// en: the scores were divided by sqrt(d_k) in softmax_rows, too: it knows no d_k, attention
//     divides
// zh: softmax_rows 里也除了 sqrt(d_k)：它不知道 d_k，由 attention 来除

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  xt::xtensor<float, 2> out = scores;
  for (std::size_t t = 0; t < out.shape(0); ++t) {
    const float largest = xt::amax(xt::row(out, t))();
    xt::row(out, t) =
        xt::exp((xt::row(out, t) - largest) / std::sqrt(static_cast<float>(out.shape(1))));
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
