// en: norm(x + f(x)): that is post-norm, the order of the paper; this block is pre-norm
// zh: norm(x + f(x))：这是论文里的 post-norm；本题要的是 pre-norm

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  return norm(input + f(input));
}

}  // namespace xf::exercise
