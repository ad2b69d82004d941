// en: norm(x) + f(norm(x)): x was overwritten by its norm before the sum
// zh: norm(x) + f(norm(x))：求和之前 x 已被它的归一化结果覆盖

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  const Tensor normed = norm(input);
  return normed + f(normed);
}

}  // namespace xf::exercise
