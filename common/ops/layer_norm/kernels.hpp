#pragma once

#include "tensor/device.hpp"

namespace xf::kernel {

// Also stores each row's mean and 1 / sqrt(variance + eps), for backward.
void layer_norm(Cpu, const float* x, const float* gamma, const float* beta, float eps, float* y,
                float* means, float* inverse_deviations, int rows, int columns);
void layer_norm_backward(Cpu, const float* x, const float* gamma, const float* means,
                         const float* inverse_deviations, const float* dy, float* dx, int rows,
                         int columns);
// dgamma = sum over the rows of dy n, dbeta = sum over the rows of dy.
void layer_norm_backward_weights(Cpu, const float* x, const float* means,
                                 const float* inverse_deviations, const float* dy, float* dgamma,
                                 float* dbeta, int rows, int columns);

}  // namespace xf::kernel
