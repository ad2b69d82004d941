// en: x and norm(x) were both added to f(norm(x)): only x is
// zh: x 和 norm(x) 都加到了 f(norm(x)) 上：只应加 x

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  const Tensor normed = norm(input);
  return input + normed + f(normed);
}

}  // namespace xf::exercise
