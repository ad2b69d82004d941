#pragma once

#include <cstddef>
#include <span>

#include "tensor/device.hpp"

namespace xf::kernel {

// The sum of x[i], or of x[i] weights[i] when weights is not null; summed in double.
template <class On>
double sum(On, const float* x, const float* weights, std::ptrdiff_t count);
// places[r] = the first v with the largest x[r, v].
template <class On>
void argmax(On, const float* x, std::span<int> places, int columns);

}  // namespace xf::kernel
