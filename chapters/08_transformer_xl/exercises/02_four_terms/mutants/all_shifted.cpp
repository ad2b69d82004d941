// en: both products were shifted; the first one is by key already
// zh: 两个乘积都移了位；第一个本来就是按键排列的

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + v, heads), r, Transpose::yes);  // by distance
  return relative_shift(content + position);
}

}  // namespace xf::exercise
