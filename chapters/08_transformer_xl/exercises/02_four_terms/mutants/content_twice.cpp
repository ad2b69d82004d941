// en: the shifted product is that with k again: the distances and v have no say
// zh: 移位的又是与 k 的乘积：距离和 v 都没有起作用

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);  // by key
  return content + relative_shift(content);
}

}  // namespace xf::exercise
