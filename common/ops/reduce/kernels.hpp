#pragma once

#include <cstddef>

#include "tensor/device.hpp"

namespace xf::kernel {

// The sum of x[i], or of x[i] weights[i] when weights is not null; summed in double.
template <class On>
double sum(On, const float* x, const float* weights, std::ptrdiff_t count);

}  // namespace xf::kernel
