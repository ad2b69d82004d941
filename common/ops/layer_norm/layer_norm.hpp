#pragma once

#include "autograd/tape.hpp"

namespace xf {

// y = gamma * (x - mean) / sqrt(variance + eps) + beta, over the last axis; the variance is the
// biased one (divided by D). Ba et al. 2016; eps as in batch norm (Ioffe and Szegedy 2015).
//   x: (..., D)   gamma, beta: (D)   returns the shape of x
// backward, with n = (x - mean) / sqrt(variance + eps) and g = gamma * dy:
//   dx = (g - mean(g) - n mean(g n)) / sqrt(variance + eps)
//   dgamma = sum over the rows of dy n,   dbeta = sum over the rows of dy
// Throws std::invalid_argument when gamma or beta is not (D).
Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps = 1e-5f);

}  // namespace xf
