#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  TODO("03-03: my/03-03_residual_autopsy.cpp");
  Tensor x = input;
  x = norm(x);
  x = x + f(x);
  return x;
}

bool is_residual(const Block& block) { TODO("03-03: my/03-03_residual_autopsy.cpp"); }

}  // namespace xf::exercise
