// en: the second product was not shifted: its columns belong to distances, not to keys
// zh: 第二个乘积没有移位：它的各列对应距离，不对应键

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + v, heads), r, Transpose::yes);  // by distance
  return content + position;
}

}  // namespace xf::exercise
