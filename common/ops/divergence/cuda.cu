#include "cuda/launch.hpp"
#include "ops/divergence/kernels.hpp"

namespace xf::kernel {

namespace {

struct Pair {
  const float *a, *b, *a_sums, *b_sums;
  int columns;
};

// One block per row, because a row is as long as the vocabulary.
__global__ void row_divergences(Pair x, float* forth, float* back) {
  __shared__ float scratch[cuda::warp_lanes];
  const std::ptrdiff_t r = blockIdx.x, start = r * x.columns;
  float there = 0, here = 0;
  for (int v = static_cast<int>(threadIdx.x); v < x.columns; v += cuda::threads_of_block()) {
    const float log_p = x.a[start + v] - x.a_sums[r], log_q = x.b[start + v] - x.b_sums[r];
    there += expf(log_p) * (log_p - log_q);
    here += expf(log_q) * (log_q - log_p);
  }
  there = cuda::block_sum(there, scratch);
  here = cuda::block_sum(here, scratch);
  if (threadIdx.x > 0) return;
  forth[r] = there;
  back[r] = here;
}

__global__ void divergence_gradients(Pair x, const float* forth, const float* back, float divisor,
                                     const float* dloss, float* da, float* db,
                                     std::ptrdiff_t count) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i >= count) return;
  const float factor = *dloss / divisor;
  const std::ptrdiff_t r = i / x.columns;
  const float log_p = x.a[i] - x.a_sums[r], log_q = x.b[i] - x.b_sums[r];
  const float p = expf(log_p), q = expf(log_q), d = log_p - log_q;
  da[i] = factor * (p * (d - forth[r]) + p - q);
  db[i] = factor * (q * (-d - back[r]) + q - p);
}

}  // namespace

template <>
void divergences(Cuda, const float* a, const float* b, const float* a_sums, const float* b_sums,
                 float* forth, float* back, std::ptrdiff_t rows, int columns) {
  cuda::launch(cuda::one_block_each("row_divergences", rows, columns), row_divergences,
               Pair{a, b, a_sums, b_sums, columns}, forth, back);
}

template <>
void divergence_backward(Cuda, const float* a, const float* b, const float* a_sums,
                         const float* b_sums, const float* forth, const float* back, double divisor,
                         const float* dloss, float* da, float* db, std::ptrdiff_t rows,
                         int columns) {
  const std::ptrdiff_t count = rows * columns;
  cuda::launch(cuda::one_thread_each("divergence_gradients", count), divergence_gradients,
               Pair{a, b, a_sums, b_sums, columns}, forth, back, static_cast<float>(divisor), dloss,
               da, db, count);
}

}  // namespace xf::kernel
