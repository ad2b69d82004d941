#include "exercise.hpp"

namespace xf::exercise {

Tensor distances(const Tensor& x, const Tensor& c) { TODO("00-06: my/00-06_own_op.cpp"); }

double gradient_error(const std::function<Tensor(const Tensor&)>& op, const Tensor& x,
                      const Tensor& weights) {
  TODO("00-06: my/00-06_own_op.cpp");
}

}  // namespace xf::exercise
