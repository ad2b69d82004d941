#include "cuda/launch.hpp"
#include "cuda/steps/steps.hpp"
#include "cuda/wmma.hpp"

namespace xf::steps {

namespace {

// Step 1. Each number of C reads a row of A and a column of B: 2 k numbers for k multiplications.
__global__ void thread_a_number(const float* a, const float* b, float* c, int m, int n, int k) {
  const std::ptrdiff_t j = blockIdx.x * blockDim.x + threadIdx.x;  // 64 bits: i * k may overflow
  const std::ptrdiff_t i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (std::ptrdiff_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
  c[i * n + j] = sum;
}

// Step 2. A block computes a tile of C. It loads a tile of A and one of B into shared memory, where
// each number is used by `tile` threads, and then moves on to the next pair.
constexpr int tile = 16;

__global__ void tiles(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[tile][tile], b_tile[tile][tile];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const std::ptrdiff_t j = std::ptrdiff_t(blockIdx.x) * tile + x,
                       i = std::ptrdiff_t(blockIdx.y) * tile + y;
  float sum = 0;
  for (std::ptrdiff_t p0 = 0; p0 < k; p0 += tile) {
    a_tile[y][x] = i < m && p0 + x < k ? a[i * k + p0 + x] : 0;
    b_tile[y][x] = p0 + y < k && j < n ? b[(p0 + y) * n + j] : 0;
    __syncthreads();  // both tiles are loaded
    for (int p = 0; p < tile; ++p) sum += a_tile[y][p] * b_tile[p][x];
    __syncthreads();  // all reads of the tiles are done
  }
  if (i < m && j < n) c[i * n + j] = sum;
}

// Step 3. Each thread computes 4 x 4 numbers of C in registers, so that each number read from
// shared memory is used four times. The 16 x 16 threads of a block compute a tile of 64 x 64 of C
// from a strip of A and one of B in shared memory, each 16 deep in k. A's strip is transposed, so
// that row p of both strips holds the numbers to be multiplied.
constexpr int strip = 16, across = 64, each = 4, threads = 16, pad = 4;

struct Strips {
  float a[strip][across + pad], b[strip][across + pad];  // padding spreads a column over the banks
};

__global__ void registers(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ Strips strips;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const std::ptrdiff_t i0 = std::ptrdiff_t(blockIdx.y) * across,
                       j0 = std::ptrdiff_t(blockIdx.x) * across;
  float sums[each][each] = {};
  for (std::ptrdiff_t p0 = 0; p0 < k; p0 += strip) {
    for (int at = y * threads + x; at < strip * across; at += threads * threads) {
      const int p = at % strip, i = at / strip, q = at / across, j = at % across;
      strips.a[p][i] = i0 + i < m && p0 + p < k ? a[(i0 + i) * k + p0 + p] : 0;
      strips.b[q][j] = p0 + q < k && j0 + j < n ? b[(p0 + q) * n + j0 + j] : 0;
    }
    __syncthreads();  // both strips are loaded
    for (int p = 0; p < strip; ++p) {
      float left[each], right[each];
      for (int i = 0; i < each; ++i) left[i] = strips.a[p][y + i * threads];
      for (int j = 0; j < each; ++j) right[j] = strips.b[p][x + j * threads];
      for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();  // all reads of the strips are done
  }
  for (int i = 0; i < each; ++i)
    for (int j = 0; j < each; ++j) {
      const std::ptrdiff_t row = i0 + y + i * threads, column = j0 + x + j * threads;
      if (row < m && column < n) c[row * n + column] = sums[i][j];
    }
}

// Step 4. Four numbers per load, from device memory and from shared memory; a thread's 4 x 4
// numbers of C are now adjacent. Each thread loads four numbers of each strip.
struct Fours {
  float4 a, b;
};

// Four numbers of a (rows, columns) matrix; 0 outside it. `columns` is a multiple of 4.
__device__ float4 four(const float* x, std::ptrdiff_t row, std::ptrdiff_t column, int rows,
                       int columns) {
  if (row >= rows || column >= columns) return {0, 0, 0, 0};
  return *reinterpret_cast<const float4*>(x + row * columns + column);
}

// Loads the thread's share of the strips at p0.
struct Porter {
  const float *a, *b;
  int m, n, k;
  std::ptrdiff_t i0, j0;
  int self;

  __device__ Fours fetch(std::ptrdiff_t p0) const {
    return {four(a, i0 + self / 4, p0 + self % 4 * 4, m, k),
            four(b, p0 + self / threads, j0 + self % threads * 4, k, n)};
  }
  __device__ void put(const Fours& fours, Strips& strips) const {
    const int i = self / 4, p = self % 4 * 4;
    strips.a[p][i] = fours.a.x;
    strips.a[p + 1][i] = fours.a.y;
    strips.a[p + 2][i] = fours.a.z;
    strips.a[p + 3][i] = fours.a.w;
    *reinterpret_cast<float4*>(&strips.b[self / threads][self % threads * 4]) = fours.b;
  }
};

__device__ void multiply(const Strips& strips, int x, int y, float (&sums)[each][each]) {
  for (int p = 0; p < strip; ++p) {
    const float4 l = *reinterpret_cast<const float4*>(&strips.a[p][y * each]),
                 r = *reinterpret_cast<const float4*>(&strips.b[p][x * each]);
    const float left[each] = {l.x, l.y, l.z, l.w}, right[each] = {r.x, r.y, r.z, r.w};
    for (int i = 0; i < each; ++i)
      for (int j = 0; j < each; ++j) sums[i][j] += left[i] * right[j];
  }
}

__device__ void write_fours(const float (&sums)[each][each], std::ptrdiff_t row,
                            std::ptrdiff_t column, float* c, int m, int n) {
  for (int i = 0; i < each; ++i)
    if (row + i < m && column < n)
      *reinterpret_cast<float4*>(c + (row + i) * n + column) = {sums[i][0], sums[i][1], sums[i][2],
                                                                sums[i][3]};
}

__global__ void vectors(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ __align__(16) Strips strips;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const std::ptrdiff_t i0 = std::ptrdiff_t(blockIdx.y) * across,
                       j0 = std::ptrdiff_t(blockIdx.x) * across;
  const Porter porter{a, b, m, n, k, i0, j0, y * threads + x};
  float sums[each][each] = {};
  for (std::ptrdiff_t p0 = 0; p0 < k; p0 += strip) {
    porter.put(porter.fetch(p0), strips);
    __syncthreads();  // both strips are loaded
    multiply(strips, x, y, sums);
    __syncthreads();  // all reads of the strips are done
  }
  write_fours(sums, i0 + y * each, j0 + x * each, c, m, n);
}

// Step 5. Two buffers per strip. The next strips are fetched before the multiplications and stored
// afterwards in the other buffer: loads overlap with arithmetic, and one barrier is enough.
__global__ void two_buffers(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ __align__(16) Strips strips[2];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const std::ptrdiff_t i0 = std::ptrdiff_t(blockIdx.y) * across,
                       j0 = std::ptrdiff_t(blockIdx.x) * across;
  const Porter porter{a, b, m, n, k, i0, j0, y * threads + x};
  float sums[each][each] = {};
  Fours next = porter.fetch(0);
  int now = 0;
  for (std::ptrdiff_t p0 = 0; p0 < k; p0 += strip, now = 1 - now) {
    porter.put(next, strips[now]);
    __syncthreads();  // this pair is loaded, and all reads of the other pair are done
    next = porter.fetch(p0 + strip);
    multiply(strips[now], x, y, sums);
  }
  write_fours(sums, i0 + y * each, j0 + x * each, c, m, n);
}

// Step 6. A block of four warps computes a tile of 64 x 64 of C, each warp a quarter of it: 2 x 2
// fragments. Factors are converted to bfloat16 on their way to shared memory; sums stay float32.
constexpr int core = 16, block_side = 64, warp_side = 32, tensor_threads = 128;
using Sums = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, core, core, core, float>;
template <class Use>
using Factor =
    nvcuda::wmma::fragment<Use, core, core, core, __nv_bfloat16, nvcuda::wmma::row_major>;

__global__ void tensor_cores(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ __align__(32) __nv_bfloat16 a_tile[block_side][core], b_tile[core][block_side];
  __shared__ __align__(32) float c_tile[block_side][block_side];
  const int self = static_cast<int>(threadIdx.x), warp = self / cuda::warp_lanes;
  const int row = warp / 2 * warp_side, column = warp % 2 * warp_side;  // of the warp's quarter
  const std::ptrdiff_t i0 = std::ptrdiff_t(blockIdx.y) * block_side,
                       j0 = std::ptrdiff_t(blockIdx.x) * block_side;
  Sums sums[2][2];
  for (auto& of_row : sums)
    for (Sums& of_fragment : of_row) nvcuda::wmma::fill_fragment(of_fragment, 0.0f);
  for (std::ptrdiff_t p0 = 0; p0 < k; p0 += core) {
    for (int at = self; at < block_side * core; at += tensor_threads) {
      const int i = at / core, p = at % core, q = at / block_side, j = at % block_side;
      a_tile[i][p] = __float2bfloat16(i0 + i < m && p0 + p < k ? a[(i0 + i) * k + p0 + p] : 0.0f);
      b_tile[q][j] = __float2bfloat16(p0 + q < k && j0 + j < n ? b[(p0 + q) * n + j0 + j] : 0.0f);
    }
    __syncthreads();  // both tiles are loaded
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        Factor<nvcuda::wmma::matrix_a> left;
        Factor<nvcuda::wmma::matrix_b> right;
        nvcuda::wmma::load_matrix_sync(left, &a_tile[row + i * core][0], core);
        nvcuda::wmma::load_matrix_sync(right, &b_tile[0][column + j * core], block_side);
        nvcuda::wmma::mma_sync(sums[i][j], left, right, sums[i][j]);  // 4096 multiplications
      }
    __syncthreads();  // all reads of the tiles are done
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      nvcuda::wmma::store_matrix_sync(&c_tile[row + i * core][column + j * core], sums[i][j],
                                      block_side, nvcuda::wmma::mem_row_major);
  __syncthreads();  // the tile of C is complete
  for (int at = self; at < block_side * block_side; at += tensor_threads) {
    const std::ptrdiff_t i = i0 + at / block_side, j = j0 + at % block_side;
    if (i < m && j < n) c[i * n + j] = c_tile[at / block_side][at % block_side];
  }
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
namespace {

using Kernel = void (*)(const float*, const float*, float*, int, int, int);

void launch_tiles_of_64(const char* name, Kernel kernel, const float* a, const float* b, float* c,
                        int m, int n, int k) {
  const dim3 grid(cuda::blocks_for(n, across), cuda::blocks_for(m, across));
  cuda::launch({name, grid, dim3(threads, threads)}, kernel, a, b, c, m, n, k);
}

}  // namespace

void product_registers(const float* a, const float* b, float* c, int m, int n, int k) {
  launch_tiles_of_64("registers", registers, a, b, c, m, n, k);
}
void product_vectors(const float* a, const float* b, float* c, int m, int n, int k) {
  launch_tiles_of_64("vectors", vectors, a, b, c, m, n, k);
}
void product_two_buffers(const float* a, const float* b, float* c, int m, int n, int k) {
  launch_tiles_of_64("two_buffers", two_buffers, a, b, c, m, n, k);
}
void product_tensor_cores(const float* a, const float* b, float* c, int m, int n, int k) {
  const dim3 grid(cuda::blocks_for(n, block_side), cuda::blocks_for(m, block_side));
  cuda::launch({"tensor_cores", grid, tensor_threads}, tensor_cores, a, b, c, m, n, k);
}

}  // namespace xf::steps
