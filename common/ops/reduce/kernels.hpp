#pragma once

#include <cstddef>

#include "tensor/device.hpp"

namespace xf::kernel {

// *total = the sum of x[i], or of x[i] weights[i] when weights is not null, / divisor; summed in
// double.
template <class On>
void sum(On, const float* x, const float* weights, std::ptrdiff_t count, double divisor,
         float* total);

}  // namespace xf::kernel
