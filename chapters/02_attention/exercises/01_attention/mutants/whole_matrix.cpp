// en: the softmax ran over the whole matrix: each row has its own largest number and total, and
//     sums to 1
// zh: softmax 对整个矩阵做了：每行有自己的最大值和总和，各自之和为 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  const float largest = xt::amax(scores)();
  const xt::xtensor<float, 2> out = xt::exp(scores - largest);
  const float total = xt::sum(out)();
  return out / total;
}

xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v) {
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k)) / root_dk;  // (T, S)
  return xt::linalg::dot(softmax_rows(scores), v);                                      // (T, Dv)
}

}  // namespace xf::exercise
