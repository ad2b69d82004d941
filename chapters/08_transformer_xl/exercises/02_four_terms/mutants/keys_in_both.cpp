// en: both products were made with k; the second one is with r
// zh: 两个乘积都用了 k；第二个应与 r 相乘

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + v, heads), k, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

}  // namespace xf::exercise
