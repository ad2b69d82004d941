#include "exercise.hpp"

namespace xf::exercise {

__global__ void transpose(const float* x, float* y, int rows, int columns) {
  __shared__ float numbers[tile][tile + 1];
  const int lane = static_cast<int>(threadIdx.x), first = static_cast<int>(threadIdx.y);
  const int row0 = static_cast<int>(blockIdx.y) * tile;
  const int column0 = static_cast<int>(blockIdx.x) * tile;
  for (int i = first; i < tile; i += block_rows)
    if (row0 + i < rows && column0 + lane < columns)
      numbers[i][lane] = x[(row0 + i) * columns + column0 + lane];
  __syncthreads();
  for (int i = first; i < tile; i += block_rows)
    if (column0 + i < columns && row0 + lane < rows)
      y[(column0 + i) * rows + row0 + lane] = numbers[lane][i];
}

}  // namespace xf::exercise
