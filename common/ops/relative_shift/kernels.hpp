#pragma once

#include <cstddef>

#include "tensor/device.hpp"

namespace xf::kernel {

// On `batch` matrices (t, s), s >= t.
template <class On>
void relative_shift(On, const float* x, float* y, std::ptrdiff_t batch, int t, int s);
template <class On>
void relative_shift_backward(On, const float* dy, float* dx, std::ptrdiff_t batch, int t, int s);

}  // namespace xf::kernel
