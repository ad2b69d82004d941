#include "cuda/launch.hpp"
#include "cuda/mirror.hpp"
#include "ops/shape/kernels.hpp"

namespace xf::kernel {

namespace {

__global__ void copy_each_block(const float* from, std::ptrdiff_t from_step, float* to,
                                std::ptrdiff_t to_step, std::ptrdiff_t size,
                                std::ptrdiff_t blocks) {
  const std::ptrdiff_t b = cuda::warp_number();
  if (b >= blocks) return;
  for (std::ptrdiff_t i = cuda::first_column(); i < size; i += cuda::column_step())
    to[b * to_step + i] = from[b * from_step + i];
}

// One thread per column, going down the rows: y may be x, because rows only move up.
__global__ void move_columns_up(const float* x, const int* rows, int count, float* y, int columns) {
  const std::ptrdiff_t c = cuda::thread_number();
  if (c >= columns) return;
  for (std::ptrdiff_t i = 0; i < count; ++i)
    y[i * columns + c] = x[std::ptrdiff_t(rows[i]) * columns + c];
}

// A tile of 32 x 32 passes through shared memory, so that a warp reads and writes adjacent
// addresses. The 33rd column avoids bank conflicts: with 32 floats per row, all lanes that read a
// column of the tile would hit the same bank.
constexpr int tile = 32, tile_rows = 8;

__global__ void transpose_tiles(const float* x, float* y, int m, int n) {
  __shared__ float held[tile][tile + 1];
  const std::ptrdiff_t offset = std::ptrdiff_t(blockIdx.z) * m * n;
  const int column = static_cast<int>(blockIdx.x * tile + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * tile + threadIdx.y);
  for (int i = 0; i < tile; i += tile_rows)
    if (row + i < m && column < n)
      held[threadIdx.y + i][threadIdx.x] = x[offset + std::ptrdiff_t(row + i) * n + column];
  __syncthreads();
  const int to_column = static_cast<int>(blockIdx.y * tile + threadIdx.x);
  const int to_row = static_cast<int>(blockIdx.x * tile + threadIdx.y);
  for (int i = 0; i < tile; i += tile_rows)
    if (to_row + i < n && to_column < m)
      y[offset + std::ptrdiff_t(to_row + i) * m + to_column] = held[threadIdx.x][threadIdx.y + i];
}

}  // namespace

template <>
void copy_blocks(Cuda, const float* from, std::ptrdiff_t from_step, float* to,
                 std::ptrdiff_t to_step, std::ptrdiff_t size, std::ptrdiff_t blocks) {
  if (blocks == 1)
    cuda::copy_on_device(to, from, static_cast<std::size_t>(size) * sizeof(float));
  else
    cuda::launch(cuda::one_warp_each_stretch("copy_each_block", blocks, size), copy_each_block,
                 from, from_step, to, to_step, size, blocks);
}

template <>
void transpose(Cuda, const float* x, float* y, std::ptrdiff_t batch, int m, int n) {
  constexpr std::ptrdiff_t most = 65535;  // blocks in z
  for (std::ptrdiff_t first = 0; first < batch; first += most) {
    const std::ptrdiff_t count = batch - first < most ? batch - first : most;
    const dim3 grid(cuda::blocks_for(n, tile), cuda::blocks_for(m, tile),
                    static_cast<unsigned>(count));
    const std::ptrdiff_t offset = first * m * n;
    cuda::launch({"transpose_tiles", grid, dim3(tile, tile_rows)}, transpose_tiles, x + offset,
                 y + offset, m, n);
  }
}

template <>
void move_up(Cuda, const float* x, std::span<const int> rows, float* y, int columns) {
  cuda::launch(cuda::one_thread_each("move_columns_up", columns), move_columns_up, x,
               cuda::mirrored_now(rows), static_cast<int>(rows.size()), y, columns);
}

}  // namespace xf::kernel
