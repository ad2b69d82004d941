#pragma once

#include "autograd/tape.hpp"

namespace xf {

// y = gamma * x / sqrt(mean(x^2) + eps), over the last axis: layer_norm() without mean and beta.
// Zhang and Sennrich 2019, eq. 4.
//   x: (..., D)   gamma: (D)   returns the shape of x
// backward, with n = x / sqrt(mean(x^2) + eps) and g = gamma * dy:
//   dx = (g - n mean(g n)) / sqrt(mean(x^2) + eps),   dgamma = sum over the rows of dy n
// Throws std::invalid_argument when gamma is not (D).
Tensor rms_norm(const Tensor& x, const Tensor& gamma, float eps = 1e-6f);

}  // namespace xf
