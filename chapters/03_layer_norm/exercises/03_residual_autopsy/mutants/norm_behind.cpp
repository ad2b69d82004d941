// en: x + norm(f(x)): the norm is for what f reads, not for what it gives
// zh: x + norm(f(x))：归一化应作用在 f 的输入上，不是输出上

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  return input + norm(f(input));
}

}  // namespace xf::exercise
