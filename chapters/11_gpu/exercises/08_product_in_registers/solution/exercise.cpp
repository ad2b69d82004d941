#include "exercise.hpp"

namespace xf::exercise {

__global__ void product(const float* x, const float* w, float* y, int m, int n, int k) {
  __shared__ float of_x[tile][strip + 1], of_w[tile][strip + 1];
  const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
  const int column0 = static_cast<int>(blockIdx.x) * tile;
  const int row0 = static_cast<int>(blockIdx.y) * tile;
  const int self = row * threads + column, lane = self % strip, first = self / strip;
  float sums[each][each] = {};
  for (int begin = 0; begin < k; begin += strip) {
    const int q = begin + lane;
    for (int i = first; i < tile; i += threads * threads / strip) {
      of_x[i][lane] = row0 + i < m && q < k ? x[(row0 + i) * k + q] : 0;
      of_w[i][lane] = column0 + i < n && q < k ? w[(column0 + i) * k + q] : 0;
    }
    __syncthreads();
    for (int p = 0; p < strip; ++p) {
      float left[each], right[each];
      for (int i = 0; i < each; ++i) left[i] = of_x[row + i * threads][p];
      for (int j = 0; j < each; ++j) right[j] = of_w[column + j * threads][p];
      for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < each; ++i)
    for (int j = 0; j < each; ++j) {
      const int to_row = row0 + row + i * threads, to_column = column0 + column + j * threads;
      if (to_row < m && to_column < n) y[to_row * n + to_column] = sums[i][j];
    }
}

}  // namespace xf::exercise
