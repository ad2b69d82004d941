#pragma once

#include "tensor/device.hpp"

namespace xf::kernel {

// y[r, c] = row[c] for every r.
void repeat_row(Cpu, const float* row, float* y, int rows, int columns);

}  // namespace xf::kernel
