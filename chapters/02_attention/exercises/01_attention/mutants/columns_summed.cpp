// en: divided by the total of the column: each row is divided by its own total
// zh: 除以了所在列的总和：每行除以自己那一行的总和

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  xt::xtensor<float, 2> out = scores;
  for (std::size_t t = 0; t < out.shape(0); ++t) {
    const float largest = xt::amax(xt::row(out, t))();
    xt::row(out, t) = xt::exp(xt::row(out, t) - largest);
  }
  for (std::size_t s = 0; s < out.shape(1); ++s) {
    const float total = xt::sum(xt::col(out, s))();
    xt::col(out, s) /= total;
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
