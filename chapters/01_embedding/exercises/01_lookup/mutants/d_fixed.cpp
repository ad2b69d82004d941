// en: D was written into the code as 512, the size of the paper: it is weight.shape(1)
// zh: D 在代码里写死成了论文的 512：应为 weight.shape(1)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  for (std::size_t t = 0; t < length; ++t) xt::row(out, t) = xt::row(weight, ids(t));
  return std::sqrt(512.0f) * out;
}

}  // namespace xf::exercise
