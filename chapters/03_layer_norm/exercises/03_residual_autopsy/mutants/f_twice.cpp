// en: f was called on its own result: x + f(norm(x)), once
// zh: f 又作用在自己的结果上：x + f(norm(x))，只用一次

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  return input + f(f(norm(input)));
}

}  // namespace xf::exercise
