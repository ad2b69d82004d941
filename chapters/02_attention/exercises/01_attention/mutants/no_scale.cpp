// en: the scores were not divided by sqrt(d_k)
// zh: 得分没有除以 sqrt(d_k)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  return to_xt<2>(softmax(from_xt(scores)));
}

xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v) {
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k));
  return xt::linalg::dot(softmax_rows(scores), v);
}

}  // namespace xf::exercise
