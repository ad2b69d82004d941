// en: u + v was added in both products: u goes with the keys, v with the distances
// zh: 两个乘积都加了 u + v：u 配键，v 配距离

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u + v, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + u + v, heads), r, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

}  // namespace xf::exercise
