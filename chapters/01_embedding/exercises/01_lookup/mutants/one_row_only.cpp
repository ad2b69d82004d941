// en: only the first word was looked up: the loop must reach every t
// zh: 只查了第一个词：循环要走遍每个 t

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  for (std::size_t t = 0; t < 1; ++t) xt::row(out, t) = xt::row(weight, ids(t));
  return std::sqrt(static_cast<float>(d_model)) * out;
}

}  // namespace xf::exercise
