#include "exercise.hpp"

namespace xf::exercise {

__global__ void product(Matrix a, Matrix b, float* c) {
  __shared__ float of_a[tile][tile], of_b[tile][tile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * tile + y;
  const int column = static_cast<int>(blockIdx.x) * tile + x;
  float sum = 0;
  for (int first = 0; first < a.columns; first += tile) {
    of_a[y][x] = row < a.rows && first + x < a.columns ? a(row, first + x) : 0;
    of_b[y][x] = first + y < b.rows && column < b.columns ? b(first + y, column) : 0;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += of_a[y][k] * of_b[k][x];
    __syncthreads();
  }
  if (row < a.rows && column < b.columns) c[row * b.columns + column] = sum;
}

}  // namespace xf::exercise
