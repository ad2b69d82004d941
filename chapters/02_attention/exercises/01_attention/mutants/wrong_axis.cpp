// en: softmax over axis 0, the queries; each row must sum to 1, over the keys
// zh: softmax 沿轴 0（查询）做了；应该沿键做，使每一行的和为 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& scores) {
  return to_xt<2>(transpose(softmax(transpose(from_xt(scores)))));
}

xt::xtensor<float, 2> attention(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                const xt::xtensor<float, 2>& v) {
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k)) / root_dk;
  return xt::linalg::dot(softmax_rows(scores), v);
}

}  // namespace xf::exercise
