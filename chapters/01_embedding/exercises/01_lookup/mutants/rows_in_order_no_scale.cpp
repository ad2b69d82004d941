// en: two mistakes: row t was taken, though t is a place and no word, and the factor
//     sqrt(D) is missing
// zh: 两处错：取的是第 t 行（t 是位置，不是词），并且漏了因子 sqrt(D)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  for (std::size_t t = 0; t < length; ++t) xt::row(out, t) = xt::row(weight, t);
  return out;
}

}  // namespace xf::exercise
