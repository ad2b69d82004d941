// en: the factor was made of D - 1: it is sqrt(D)
// zh: 系数用了 D - 1：应该是 sqrt(D)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  for (std::size_t t = 0; t < length; ++t) xt::row(out, t) = xt::row(weight, ids(t));
  return std::sqrt(static_cast<float>(d_model - 1)) * out;
}

}  // namespace xf::exercise
