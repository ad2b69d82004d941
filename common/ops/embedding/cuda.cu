#include "cuda/launch.hpp"
#include "ops/embedding/kernels.hpp"

namespace xf::kernel {

namespace {

__global__ void gather_each(const std::int32_t* ids, const float* table, float* y,
                            std::ptrdiff_t count, int columns) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i < count) y[i] = table[std::ptrdiff_t(ids[i / columns]) * columns + i % columns];
}

// Block i adds to the row of id i, if none before it does: the rows of dy with that id, from the
// first to the last. No two blocks have the same row, so nothing needs to be atomic, and the order
// of the sum, and its rounding, are the same in every run.
__global__ void scatter_add_rows(const std::int32_t* ids, const float* dy, float* dtable, int count,
                                 int columns) {
  __shared__ int seen_before;
  const int i = static_cast<int>(blockIdx.x), id = ids[i];
  const int self = static_cast<int>(threadIdx.x), threads = cuda::threads_of_block();
  if (self == 0) seen_before = 0;
  __syncthreads();
  for (int j = self; j < i; j += threads)
    if (ids[j] == id) seen_before = 1;
  __syncthreads();
  if (seen_before) return;
  for (int c = self; c < columns; c += threads) {
    float sum = dtable[std::ptrdiff_t(id) * columns + c];
    for (int j = i; j < count; ++j)
      if (ids[j] == id) sum += dy[std::ptrdiff_t(j) * columns + c];
    dtable[std::ptrdiff_t(id) * columns + c] = sum;
  }
}

}  // namespace

template <>
void gather(Cuda, const std::int32_t* ids, const float* table, float* y, std::ptrdiff_t count,
            int columns) {
  cuda::launch(cuda::one_thread_each("gather_each", count * columns), gather_each, ids, table, y,
               count * columns, columns);
}

template <>
void scatter_add(Cuda, const std::int32_t* ids, const float* dy, float* dtable,
                 std::ptrdiff_t count, int columns) {
  cuda::launch(cuda::one_block_each("scatter_add_rows", count, columns), scatter_add_rows, ids, dy,
               dtable, static_cast<int>(count), columns);
}

}  // namespace xf::kernel
