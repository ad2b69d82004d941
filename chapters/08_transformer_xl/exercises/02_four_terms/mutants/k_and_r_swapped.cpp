// en: k and r are swapped: u goes with the keys, v with the distances, and those are shifted
// zh: k 和 r 弄反了：u 配键，v 配距离，移位的是距离那一项

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), r, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + v, heads), k, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

}  // namespace xf::exercise
