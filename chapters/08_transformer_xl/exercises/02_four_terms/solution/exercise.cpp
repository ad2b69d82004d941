#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);   // by key
  const Tensor position = matmul(split_heads(q + v, heads), r, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

ScoreTerms score_terms(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const auto split = [&](const Tensor& x) { return split_heads(x, k.size(1)); };
  const Tensor nobody = Tensor::zeros(q.shape());
  return {.content = matmul(split(q), k, Transpose::yes),
          .distance = relative_shift(matmul(split(q), r, Transpose::yes)),
          .key = matmul(split(nobody + u), k, Transpose::yes),
          .position = relative_shift(matmul(split(nobody + v), r, Transpose::yes))};
}

}  // namespace xf::exercise
