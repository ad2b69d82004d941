#include "cuda/launch.hpp"
#include "cuda/steps/steps.hpp"

namespace xf::steps {

namespace {

// Step 1. Each number of C reads a row of A and a column of B: 2 k numbers for k multiplications.
__global__ void thread_a_number(const float* a, const float* b, float* c, int m, int n, int k) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int i = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
  c[i * n + j] = sum;
}

// Step 2. A block computes a tile of C. It brings a tile of A and one of B into shared memory,
// where each number serves `tile` threads, and goes on to the next two. (Step 3, in
// ops/matmul/cuda.cu: each thread computes 4 x 4 numbers of C, so that what it reads from shared
// memory serves four times.)
constexpr int tile = 16;

__global__ void tiles(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[tile][tile], b_tile[tile][tile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int j = static_cast<int>(blockIdx.x) * tile + x,
            i = static_cast<int>(blockIdx.y) * tile + y;
  float sum = 0;
  for (int p0 = 0; p0 < k; p0 += tile) {
    a_tile[y][x] = i < m && p0 + x < k ? a[i * k + p0 + x] : 0;
    b_tile[y][x] = p0 + y < k && j < n ? b[(p0 + y) * n + j] : 0;
    __syncthreads();  // both tiles are there
    for (int p = 0; p < tile; ++p) sum += a_tile[y][p] * b_tile[p][x];
    __syncthreads();  // everybody is done with them
  }
  if (i < m && j < n) c[i * n + j] = sum;
}

cuda::Launch one_thread_a_number(const char* kernel, int m, int n) {
  return {kernel, dim3(cuda::blocks_for(n, tile), cuda::blocks_for(m, tile)), dim3(tile, tile)};
}

}  // namespace

void product_thread_a_number(const float* a, const float* b, float* c, int m, int n, int k) {
  cuda::launch(one_thread_a_number("thread_a_number", m, n), thread_a_number, a, b, c, m, n, k);
}
void product_tiles(const float* a, const float* b, float* c, int m, int n, int k) {
  cuda::launch(one_thread_a_number("tiles", m, n), tiles, a, b, c, m, n, k);
}

}  // namespace xf::steps
