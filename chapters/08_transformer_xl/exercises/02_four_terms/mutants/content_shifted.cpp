// en: the wrong product was shifted: that with k is by key already, that with r is by distance
// zh: 移位的乘积弄反了：与 k 的乘积本来就按键排列，按距离排列的是与 r 的乘积

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + v, heads), r, Transpose::yes);  // by distance
  return relative_shift(content) + position;
}

}  // namespace xf::exercise
