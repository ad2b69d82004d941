#pragma once

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int tile = 32, block_rows = 8;

// y = x^T. A block has 32 x 8 threads and is responsible for a tile of 32 x 32 numbers of x:
// threadIdx.x and blockIdx.x count columns of x, threadIdx.y and blockIdx.y its rows. There are as
// many blocks as x has tiles.
//   x: (rows, columns)   y: (columns, rows), row-major, on the device
__global__ void transpose(const float* x, float* y, int rows, int columns);

}  // namespace xf::exercise
