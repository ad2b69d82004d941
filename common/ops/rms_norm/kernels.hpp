#pragma once

#include "tensor/device.hpp"

namespace xf::kernel {

// Also stores each row's 1 / sqrt(mean(x^2) + eps), for backward.
template <class On>
void rms_norm(On, const float* x, const float* gamma, float eps, float* y, float* inverses,
              int rows, int columns);
// dx may be dy.
template <class On>
void rms_norm_backward(On, const float* x, const float* gamma, const float* inverses,
                       const float* dy, float* dx, int rows, int columns);
// dgamma = sum over the rows of dy x inverse.
template <class On>
void rms_norm_weights(On, const float* x, const float* inverses, const float* dy, float* dgamma,
                      int rows, int columns);

}  // namespace xf::kernel
