// en: every place got the first word: place t has its own id, ids(t)
// zh: 每个位置都取了第一个词：位置 t 有自己的 id，即 ids(t)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  for (std::size_t t = 0; t < length; ++t) xt::row(out, t) = xt::row(weight, ids(0));
  return std::sqrt(static_cast<float>(d_model)) * out;
}

}  // namespace xf::exercise
