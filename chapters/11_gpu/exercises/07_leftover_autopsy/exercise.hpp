#pragma once

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int block_threads = 128;

// y = a x + y, with four numbers per load where that is possible. The number of threads that are
// needed is a quarter of `count`, rounded up. They come in blocks of block_threads. x and y begin
// at multiples of 16 bytes.
//   x, y: (count), both on the device
__global__ void add_scaled(float a, const float* x, float* y, int count);

}  // namespace xf::exercise
