#pragma once

#include "tensor/device.hpp"

namespace xf::kernel {

// Also stores each row's mean and 1 / sqrt(variance + eps), for backward.
template <class On>
void layer_norm(On, const float* x, const float* gamma, const float* beta, float eps,
                const Output& y, float* means, float* inverse_deviations, int rows, int columns);
// dx, unless it is null (it may be dy); dgamma = sum over the rows of dy n and dbeta = sum over the
// rows of dy, unless they are null.
template <class On>
void layer_norm_backward(On, const float* x, const float* gamma, const float* means,
                         const float* inverse_deviations, const float* dy, float* dx, float* dgamma,
                         float* dbeta, int rows, int columns);

}  // namespace xf::kernel
