// en: a vector with one number a row was laid along the columns: make it a column, or loop over
//     the rows
// zh: 每行一个数的向量被沿列展开了：把它变成一列，或者逐行循环

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  const xt::xtensor<float, 1> largest = xt::amax(scores, {1});
  const xt::xtensor<float, 2> out = xt::exp(scores - largest);
  const xt::xtensor<float, 1> total = xt::sum(out, {1});
  return out / total;
}

xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v) {
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k)) / root_dk;  // (T, S)
  return xt::linalg::dot(softmax_rows(scores), v);                                      // (T, Dv)
}

}  // namespace xf::exercise
