// en: v was detached: the scores are right, but v does not learn
// zh: v 被 detach 了：得分没错，但 v 学不到东西

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + u, heads), k, Transpose::yes);  // by key
  const Tensor position =
      matmul(split_heads(q + detach(v), heads), r, Transpose::yes);  // by distance
  return content + relative_shift(position);
}

}  // namespace xf::exercise
