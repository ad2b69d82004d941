// en: u . k is missing: the keys have a global term too
// zh: 缺了 u · k：键也有自己的全局项

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q, heads), k, Transpose::yes);       // by key
  const Tensor position = matmul(split_heads(q + v, heads), r, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

}  // namespace xf::exercise
