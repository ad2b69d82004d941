// en: the number of heads was read from axis 3, which is Dk: in (B, H, S, Dk) it is axis 1
// zh: 头数取自轴 3，那是 Dk：在 (B, H, S, Dk) 中头数是轴 1

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(3);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + v, heads), r, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

}  // namespace xf::exercise
