// en: the whole table was multiplied again for every word: each row is multiplied once
// zh: 每查一个词就把已有的行又乘了一遍：每行只乘一次

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  out.fill(0);
  for (std::size_t t = 0; t < length; ++t) {
    xt::row(out, t) = xt::row(weight, ids(t));
    out *= std::sqrt(static_cast<float>(d_model));
  }
  return out;
}

}  // namespace xf::exercise
