// en: the rows came in the reverse order: row t belongs to ids(t)
// zh: 各行的顺序颠倒了：第 t 行属于 ids(t)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  for (std::size_t t = 0; t < length; ++t) xt::row(out, length - 1 - t) = xt::row(weight, ids(t));
  return std::sqrt(static_cast<float>(d_model)) * out;
}

}  // namespace xf::exercise
