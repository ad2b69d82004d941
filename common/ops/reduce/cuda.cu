#include "cuda/launch.hpp"
#include "ops/reduce/kernels.hpp"

namespace xf::kernel {

namespace {

constexpr int threads = 256, max_blocks = 256;

// Each block's share of the sum, in double. The order is the same in every run.
__global__ void partial_sums(const float* x, const float* weights, double* sums,
                             std::ptrdiff_t count) {
  __shared__ double partial[threads];
  const unsigned self = threadIdx.x;
  double sum = 0;
  for (std::ptrdiff_t i = cuda::thread_number(); i < count;
       i += std::ptrdiff_t(gridDim.x) * blockDim.x)
    sum += weights ? double(x[i]) * double(weights[i]) : double(x[i]);
  partial[self] = sum;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {  // a tree: 128 pairs, 64 pairs ...
    __syncthreads();
    if (self < half) partial[self] += partial[self + half];
  }
  if (self == 0) sums[blockIdx.x] = partial[0];
}

__global__ void sum_of_blocks(const double* sums, int count, double divisor, float* total) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += sums[i];
  *total = float(sum / divisor);
}

}  // namespace

template <>
void sum(Cuda, const float* x, const float* weights, std::ptrdiff_t count, double divisor,
         float* total) {
  const std::ptrdiff_t wanted = (count + threads - 1) / threads;
  const int blocks = static_cast<int>(wanted < 1 ? 1 : wanted < max_blocks ? wanted : max_blocks);
  cuda::Buffer<double> sums(static_cast<std::size_t>(blocks));
  cuda::launch({"partial_sums", static_cast<unsigned>(blocks), cuda::tree_threads(count)},
               partial_sums, x, weights, sums.data(), count);
  cuda::launch({"sum_of_blocks", 1, 1}, sum_of_blocks, sums.data(), blocks, divisor, total);
}

}  // namespace xf::kernel
