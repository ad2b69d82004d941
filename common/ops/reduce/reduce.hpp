#pragma once

#include <vector>

#include "autograd/tape.hpp"

namespace xf {

// The sum of all elements, a scalar of shape (); summed in double. backward: dx = dy everywhere.
Tensor sum(const Tensor& x);
// sum(x * weights) for constant weights of x's shape: turns any output into a scalar loss, for
// gradient checks. backward: dx = dy weights. Throws std::invalid_argument when the shapes
// differ.
Tensor weighted_sum(const Tensor& x, const Tensor& weights);

// The index of the largest element of each row, or of the first if equal. Not differentiable.
//   x: (..., N), N >= 1   returns one index for each row
// Throws std::invalid_argument when a row is empty.
std::vector<int> argmax(const Tensor& x);

}  // namespace xf
