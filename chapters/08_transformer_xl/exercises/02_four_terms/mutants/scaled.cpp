// en: the scores were divided by sqrt(Dk): that happens later, in the softmax
// zh: 得分除以了 sqrt(Dk)：那是之后在 softmax 里做的

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + v, heads), r, Transpose::yes);  // by distance
  return (1 / std::sqrt(static_cast<float>(k.size(3)))) * (content + relative_shift(position));
}

}  // namespace xf::exercise
