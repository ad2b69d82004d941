// en: f(norm(x)) was normalised again before the sum
// zh: f(norm(x)) 在相加之前又做了一次归一化

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  return input + norm(f(norm(input)));
}

}  // namespace xf::exercise
