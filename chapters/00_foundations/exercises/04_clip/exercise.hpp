#pragma once

#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Tensors = std::vector<xt::xtensor<float, 2>>;  // of different shapes

// g <- g min(1, limit / |g|), where |g| is the norm of all numbers of all tensors together.
// A norm that is 0 or not finite leaves them as they are.   Returns |g| before.
float clip(Tensors& gradients, float limit);

// Clips, then moves every parameter: p <- p - rate g. Returns false, and moves nothing, when the
// norm is not finite.   parameters, gradients: of the same shapes, in the same order
bool step(Tensors& parameters, Tensors& gradients, float rate, float limit);

}  // namespace xf::exercise
