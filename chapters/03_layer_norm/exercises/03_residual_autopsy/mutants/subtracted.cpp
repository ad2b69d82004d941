// en: the branch was subtracted: y = x + f(norm(x))
// zh: 减去了分支：应是 y = x + f(norm(x))

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  return input + -1.0f * f(norm(input));
}

}  // namespace xf::exercise
