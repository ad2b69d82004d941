#pragma once

#include "cuda/launch.hpp"

// Sums over the rows of a matrix, on a GPU. There are few columns and many rows, so that one block
// for 32 columns would leave most of the GPU idle: the rows are cut into stretches, each block sums
// 32 columns of one stretch, and a second pass adds up the stretches. The grouping of the rows
// depends only on their number, so the order of the sum is the same in every run.
namespace xf::kernel {

constexpr int row_groups = 8;  // of a block: each warp takes every eighth row

inline dim3 column_block() { return dim3(cuda::warp_lanes, row_groups); }

// As many blocks in y as there are stretches of about 128 rows, but at most 64.
inline dim3 column_grid(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  const unsigned wanted = cuda::blocks_for(rows, 16 * row_groups), most = 64;
  const unsigned stretches = wanted < 1 ? 1 : wanted < most ? wanted : most;
  return dim3(cuda::blocks_for(columns, cuda::warp_lanes), stretches);
}

// This thread's column, and the rows first, first + row_groups ... below last of its stretch.
struct ColumnPart {
  std::ptrdiff_t column, first, last;
};
__device__ inline ColumnPart column_part(std::ptrdiff_t rows) {
  const std::ptrdiff_t size = (rows + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * size;
  const std::ptrdiff_t end = begin + size;
  return {std::ptrdiff_t(blockIdx.x) * cuda::warp_lanes + threadIdx.x, begin + threadIdx.y,
          end < rows ? end : rows};
}

// The sum over the threads of one column, returned in that of group 0. `partial` is shared memory
// that must not be in use before.
__device__ inline float sum_of_groups(float sum, float (*partial)[cuda::warp_lanes]) {
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0)
    for (int g = 1; g < row_groups; ++g) sum += partial[g][threadIdx.x];
  return sum;
}

}  // namespace xf::kernel
