#pragma once

#include <functional>

#include "support/kit.hpp"

namespace xf::exercise {

using Layer = std::function<Tensor(const Tensor&)>;

// The pre-norm block: x + f(norm(x)).   x: (T, D)   returns (T, D)
Tensor residual(const Tensor& input, const Layer& norm, const Layer& f);

// The test that would have found it: does this block compute x + f(norm(x))? It calls the block
// with an input, a norm and an f of its own. Right blocks differ by rounding only. What comes back
// are numbers: no gradient flows through a block.
using Block = std::function<Tensor(const Tensor& x, const Layer& norm, const Layer& f)>;
bool is_residual(const Block& block);

}  // namespace xf::exercise
