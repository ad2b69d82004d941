#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int most_threads = 256;  // per block, a power of two; the test also uses fewer

// y[b] = the sum of the numbers of block b, which are x[b * blockDim.x], x[b * blockDim.x + 1] ...,
// as far as these exist.
//   x: (count)   y: (blocks), both on the device
__global__ void block_sums(const float* x, float* y, int count);

}  // namespace xf::exercise
