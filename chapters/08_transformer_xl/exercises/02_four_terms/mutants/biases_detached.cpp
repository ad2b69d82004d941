// en: u and v were detached: the scores are right, but neither learns
// zh: u 和 v 都被 detach 了：得分没错，但两者都学不到东西

#include "exercise.hpp"

namespace xf::exercise {

Tensor relative_scores(const Tensor& q, const Tensor& k, const Tensor& r, const Tensor& u,
                       const Tensor& v) {
  const int heads = k.size(1);
  const Tensor content = matmul(split_heads(q + detach(u), heads), k, Transpose::yes);
  const Tensor position = matmul(split_heads(q + detach(v), heads), r, Transpose::yes);
  return content + relative_shift(position);
}

}  // namespace xf::exercise
