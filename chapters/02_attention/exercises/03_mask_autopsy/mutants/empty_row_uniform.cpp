// en: an empty row became uniform: a query that may look at nothing has no weights, all are 0
// zh: 全禁止的行变成了均匀分布：什么都不能看的查询没有权重，应全为 0

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may) {
  xt::xtensor<float, 2> out = xt::zeros<float>(scores.shape());
  for (std::size_t t = 0; t < scores.shape(0); ++t) {
    float largest = -std::numeric_limits<float>::infinity(), total = 0;
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) largest = std::max(largest, scores(t, s));
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (may(t, s) > 0) total += out(t, s) = std::exp(scores(t, s) - largest);
    for (std::size_t s = 0; s < scores.shape(1); ++s)
      if (total == 0)
        out(t, s) = 1.0f / static_cast<float>(scores.shape(1));
      else if (may(t, s) > 0)
        out(t, s) /= total;
  }
  return out;
}

}  // namespace xf::exercise
