#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/watched_kernels.hpp"

namespace xf::exercise {

// The sum of the values of the 32 lanes, which every lane gets. All 32 lanes must call it.
__device__ float sum_of_warp(float value);

// y = softmax(x) in each row. Each warp computes one row, and a block has four warps.
//   x, y: (rows, columns), row-major, on the device
__global__ void softmax_rows(const float* x, float* y, int rows, int columns);

}  // namespace xf::exercise
