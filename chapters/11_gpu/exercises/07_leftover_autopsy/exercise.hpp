#pragma once

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int block_threads = 128;

// y = a x + y, four numbers a load where that is possible. There are threads for a quarter of the
// numbers, rounded up, in blocks of block_threads. x and y begin at multiples of 16 bytes.
//   x, y: (count), both on the device
__global__ void add_scaled(float a, const float* x, float* y, int count);

}  // namespace xf::exercise
