#pragma once

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int threads = 16, each = 4;  // 16 x 16 threads per block, 4 x 4 numbers per thread
constexpr int tile = threads * each;   // a block computes 64 x 64 numbers of y
constexpr int strip = 32;              // columns of x and W that a block copies per step

// y = x W^T, a linear layer without its bias. threadIdx.x and blockIdx.x count columns of y,
// threadIdx.y and blockIdx.y its rows. There are as many blocks as y has tiles.
//   x: (m, k)   w: (n, k)   y: (m, n), row-major, on the device
__global__ void product(const float* x, const float* w, float* y, int m, int n, int k);

}  // namespace xf::exercise
