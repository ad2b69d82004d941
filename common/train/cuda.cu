#include <cmath>

#include "cuda/launch.hpp"
#include "train/kernels.hpp"

namespace xf::kernel {

namespace {

constexpr int threads = 256, most_blocks = 64;

__global__ void add_each(float* sum, const float* x, std::ptrdiff_t count) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i < count) sum[i] += x[i];
}

// Each block's share of the squares of x, in double.
__global__ void partial_squares(const float* x, std::ptrdiff_t count, double* sums) {
  __shared__ double partial[threads];
  const unsigned self = threadIdx.x;
  double sum = 0;
  for (std::ptrdiff_t i = cuda::thread_number(); i < count;
       i += std::ptrdiff_t(gridDim.x) * blockDim.x)
    sum += double(x[i]) * double(x[i]);
  partial[self] = sum;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (self < half) partial[self] += partial[self + half];
  }
  if (self == 0) sums[blockIdx.x] = partial[0];
}

__global__ void widen(const float* number, double* to) { *to = *number; }

// Equation of train/adam.hpp, one thread a weight.
__global__ void adam_each(AdamRates r, float left, const float* g, float* m, float* v, float* w,
                          std::ptrdiff_t count) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i >= count) return;
  const float gradient = g[i] * r.clip_factor;
  m[i] = r.beta1 * m[i] + (1 - r.beta1) * gradient;
  v[i] = r.beta2 * v[i] + (1 - r.beta2) * gradient * gradient;
  w[i] = left * w[i] - r.step_size * m[i] / (sqrtf(v[i]) * r.inverse_root_correction + r.epsilon);
}

unsigned blocks_of(const AdamPart& part) {
  const unsigned wanted = cuda::blocks_for(part.count, threads);
  return wanted < most_blocks ? wanted : most_blocks;
}

}  // namespace

// All sums are copied to the host together: the only time in a step that it waits for the device.
template <>
StepSums sum_gradients(Cuda, std::span<const AdamPart> parts,
                       std::span<const float* const> losses) {
  std::size_t all = losses.size();
  for (const AdamPart& part : parts) all += blocks_of(part);
  cuda::Buffer<double> sums(all);
  double* to = sums.data();
  for (const AdamPart& part : parts) {
    for (const float* other : part.others)
      cuda::launch(cuda::one_thread_each("add_each", part.count), add_each, part.gradient, other,
                   part.count);
    cuda::launch({"partial_squares", blocks_of(part), cuda::tree_threads(part.count)},
                 partial_squares, part.gradient, part.count, to);
    to += blocks_of(part);
  }
  for (const float* loss : losses) cuda::launch({"widen", 1, 1}, widen, loss, to++);
  const std::vector<double> numbers = sums.values();
  StepSums found;
  std::size_t i = 0;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (unsigned block = 0; block < blocks_of(parts[p]); ++block, ++i) {
      if (found.spoilt < 0 && !std::isfinite(numbers[i]))
        found.spoilt = static_cast<std::ptrdiff_t>(p);
      found.squares += numbers[i];
    }
  for (; i < all; ++i) found.losses.push_back(static_cast<float>(numbers[i]));
  return found;
}

template <>
void adam(Cuda, const AdamRates& rates, std::span<const AdamPart> parts) {
  for (const AdamPart& part : parts)
    cuda::launch(cuda::one_thread_each("adam_each", part.count), adam_each, rates, part.left,
                 part.gradient, part.m, part.v, part.w, part.count);
}

}  // namespace xf::kernel
