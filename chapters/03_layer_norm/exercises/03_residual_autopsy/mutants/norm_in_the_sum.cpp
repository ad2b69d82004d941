// en: norm(x) + f(x): the norm is for what f reads, x is added as it is
// zh: norm(x) + f(x)：归一化应作用在 f 的输入上，相加的是 x 本身

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  return norm(input) + f(input);
}

}  // namespace xf::exercise
