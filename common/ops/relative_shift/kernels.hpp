#pragma once

#include <cstddef>

#include "tensor/device.hpp"

namespace xf::kernel {

// On `batch` matrices (t, s), s >= t.
void relative_shift(Cpu, const float* x, float* y, std::ptrdiff_t batch, int t, int s);
void relative_shift_backward(Cpu, const float* dy, float* dx, std::ptrdiff_t batch, int t, int s);

}  // namespace xf::kernel
