// en: the ids were counted from 1: id 0 is the first row of the table
// zh: id 从 1 数起了：id 0 就是嵌入表的第一行

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight) {
  const std::size_t length = ids.shape(0), d_model = weight.shape(1);
  xt::xtensor<float, 2> out({length, d_model});
  for (std::size_t t = 0; t < length; ++t)
    xt::row(out, t) = xt::row(weight, std::max(ids(t) - 1, 0));
  return std::sqrt(static_cast<float>(d_model)) * out;
}

}  // namespace xf::exercise
