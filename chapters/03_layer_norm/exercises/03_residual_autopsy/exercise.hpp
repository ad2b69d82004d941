#pragma once

#include <functional>

#include "support/kit.hpp"

namespace xf::exercise {

using Layer = std::function<Tensor(const Tensor&)>;

// The pre-norm block: x + f(norm(x)).   x: (T, D)   returns (T, D)
Tensor residual(const Tensor& input, const Layer& norm, const Layer& f);

}  // namespace xf::exercise
