// en: the two global terms are missing: u . k and v . r
// zh: 缺了两个全局项：u · k 和 v · r

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q, heads), r, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

}  // namespace xf::exercise
