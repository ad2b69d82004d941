// en: u was used for both products; the distances have a vector of their own, v
// zh: 两个乘积都用了 u；距离有自己的向量 v

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + u, heads), r, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

}  // namespace xf::exercise
