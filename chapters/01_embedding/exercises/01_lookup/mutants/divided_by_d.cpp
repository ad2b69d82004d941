// en: divided by D: the embedding is multiplied by sqrt(D)
// zh: 除以了 D：嵌入应乘以 sqrt(D)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  for (std::size_t t = 0; t < length; ++t) xt::row(out, t) = xt::row(weight, ids(t));
  return out / static_cast<float>(d_model);
}

}  // namespace xf::exercise
