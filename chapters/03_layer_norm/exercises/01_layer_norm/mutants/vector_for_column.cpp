// en: the means, one a row, were laid along the columns: make them a column, or loop over the rows
// zh: 每行一个的均值被沿列展开了：把它们变成一列，或者逐行循环

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> layer_norm(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, float eps) {
  const xt::xtensor<float, 1> mean = xt::mean(x, {1});
  const xt::xtensor<float, 2> centred = x - mean;
  const xt::xtensor<float, 1> variance = xt::mean(centred * centred, {1});
  return gamma * centred / xt::sqrt(variance + eps) + beta;
}

}  // namespace xf::exercise
