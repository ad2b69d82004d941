#include "cuda/launch.hpp"
#include "ops/cross_entropy/kernels.hpp"
#include "ops/reduce/kernels.hpp"

namespace xf::kernel {

namespace {

using cuda::one_block_each, cuda::threads_of_block;

// One block per row, because a row is as long as the vocabulary.
__device__ const float* row_of(const float* x, int columns) {
  return x + std::ptrdiff_t(blockIdx.x) * columns;
}

// log sum_v exp(x_v), in every thread.
__device__ float log_sum_exp_of(const float* x, int columns, float* scratch) {
  float top = -INFINITY, sum = 0;
  for (int v = static_cast<int>(threadIdx.x); v < columns; v += threads_of_block())
    top = fmaxf(top, x[v]);
  top = cuda::block_max(top, scratch);
  for (int v = static_cast<int>(threadIdx.x); v < columns; v += threads_of_block())
    sum += expf(x[v] - top);
  return top + logf(cuda::block_sum(sum, scratch));
}

__global__ void log_sum_exp_rows(const float* x, float* sums, int columns) {
  __shared__ float scratch[cuda::warp_lanes];
  const float found = log_sum_exp_of(row_of(x, columns), columns, scratch);
  if (threadIdx.x == 0) sums[blockIdx.x] = found;
}

// The logit expected under the target distribution: (1 - eps) x[target] + eps mean(x), in every
// thread.
__device__ float expected_of(const float* x, int target, float smoothing, int columns,
                             float* scratch) {
  float total = 0;
  for (int v = static_cast<int>(threadIdx.x); v < columns; v += threads_of_block()) total += x[v];
  total = cuda::block_sum(total, scratch);
  return (1 - smoothing) * x[target] + smoothing * total / float(columns);
}

__global__ void row_losses(const float* x, const std::int32_t* targets, const float* sums,
                           std::int32_t ignore, float smoothing, float* losses, int columns) {
  __shared__ float scratch[cuda::warp_lanes];
  const int target = targets[blockIdx.x];
  float loss = 0;
  if (target != ignore)
    loss = sums[blockIdx.x] - expected_of(row_of(x, columns), target, smoothing, columns, scratch);
  if (threadIdx.x == 0) losses[blockIdx.x] = loss;
}

// dx = factor (p - q). `x` may be `dx`: each thread reads what it writes.
__device__ void gradient_of(const float* x, float lse, int target, float smoothing, float factor,
                            float* dx, int columns) {
  const float spread = factor * smoothing / float(columns);
  for (int v = static_cast<int>(threadIdx.x); v < columns; v += threads_of_block()) {
    const float hit = v == target ? factor * (1 - smoothing) : 0;
    dx[v] = factor * expf(x[v] - lse) - spread - hit;
  }
}

__device__ void clear(float* dx, int columns) {
  for (int v = static_cast<int>(threadIdx.x); v < columns; v += threads_of_block()) dx[v] = 0;
}

__global__ void row_gradients(const float* x, const std::int32_t* targets, const float* sums,
                              std::int32_t ignore, float smoothing, float divisor,
                              const float* dloss, float* dx, int columns) {
  const int target = targets[blockIdx.x];
  float* out = dx + std::ptrdiff_t(blockIdx.x) * columns;
  if (target == ignore) return clear(out, columns);
  gradient_of(row_of(x, columns), sums[blockIdx.x], target, smoothing, *dloss / divisor, out,
              columns);
}

__global__ void losses_and_gradients(float* x, const std::int32_t* targets, std::int32_t ignore,
                                     float smoothing, float factor, float* losses, int columns) {
  __shared__ float scratch[cuda::warp_lanes];
  const int target = targets[blockIdx.x];
  float* row = x + std::ptrdiff_t(blockIdx.x) * columns;
  if (target == ignore) {
    if (threadIdx.x == 0) losses[blockIdx.x] = 0;
    return clear(row, columns);
  }
  const float lse = log_sum_exp_of(row, columns, scratch);
  const float expected = expected_of(row, target, smoothing, columns, scratch);
  __syncthreads();  // all reads of x[target] are done
  gradient_of(row, lse, target, smoothing, factor, row, columns);
  if (threadIdx.x == 0) losses[blockIdx.x] = lse - expected;
}

__global__ void subtract_each(const float* x, const float* sums, float* y, std::ptrdiff_t count,
                              int columns) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i < count) y[i] = x[i] - sums[i / columns];
}

__global__ void likelihood_each(const float* x, const std::int32_t* targets, const float* sums,
                                std::int32_t ignore, float* likelihoods, std::ptrdiff_t rows,
                                int columns) {
  const std::ptrdiff_t r = cuda::thread_number();
  if (r >= rows) return;
  likelihoods[r] = targets[r] == ignore ? 0 : x[r * columns + targets[r]] - sums[r];
}

}  // namespace

template <>
void log_likelihood(Cuda, const float* x, const std::int32_t* targets, const float* sums,
                    std::int32_t ignore, float* likelihoods, std::ptrdiff_t rows, int columns) {
  cuda::launch(cuda::one_thread_each("likelihood_each", rows), likelihood_each, x, targets, sums,
               ignore, likelihoods, rows, columns);
}

template <>
void log_sum_exp(Cuda, const float* x, float* sums, std::ptrdiff_t rows, int columns) {
  cuda::launch(one_block_each("log_sum_exp_rows", rows, columns), log_sum_exp_rows, x, sums,
               columns);
}

template <>
void cross_entropy(Cuda on, const float* x, const std::int32_t* targets, const float* sums,
                   std::int32_t ignore, float smoothing, double divisor, float* loss,
                   std::ptrdiff_t rows, int columns) {
  cuda::Buffer<float> losses(static_cast<std::size_t>(rows));
  cuda::launch(one_block_each("row_losses", rows, columns), row_losses, x, targets, sums, ignore,
               smoothing, losses.data(), columns);
  sum(on, losses.data(), nullptr, rows, divisor, loss);
}

template <>
void cross_entropy_in_place(Cuda on, float* x, const std::int32_t* targets, std::int32_t ignore,
                            float smoothing, double divisor, float* loss, std::ptrdiff_t rows,
                            int columns) {
  cuda::Buffer<float> losses(static_cast<std::size_t>(rows));
  cuda::launch(one_block_each("losses_and_gradients", rows, columns), losses_and_gradients, x,
               targets, ignore, smoothing, 1 / static_cast<float>(divisor), losses.data(), columns);
  sum(on, losses.data(), nullptr, rows, divisor, loss);
}

template <>
void cross_entropy_backward(Cuda, const float* x, const std::int32_t* targets, const float* sums,
                            std::int32_t ignore, float smoothing, double divisor,
                            const float* dloss, float* dx, std::ptrdiff_t rows, int columns) {
  cuda::launch(one_block_each("row_gradients", rows, columns), row_gradients, x, targets, sums,
               ignore, smoothing, static_cast<float>(divisor), dloss, dx, columns);
}

template <>
void subtract_from_rows(Cuda, const float* x, const float* sums, float* y, std::ptrdiff_t rows,
                        int columns) {
  const std::ptrdiff_t count = rows * columns;
  cuda::launch(cuda::one_thread_each("subtract_each", count), subtract_each, x, sums, y, count,
               columns);
}

}  // namespace xf::kernel
