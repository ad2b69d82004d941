#include "cuda/launch.hpp"
#include "ops/reduce/kernels.hpp"

namespace xf::kernel {

namespace {

constexpr int threads = 256, most_blocks = 256;

// Each block's share of the sum, in double. The order is the same at every run.
__global__ void partial_sums(const float* x, const float* weights, double* sums,
                             std::ptrdiff_t count) {
  __shared__ double partial[threads];
  const unsigned self = threadIdx.x;
  double sum = 0;
  for (std::ptrdiff_t i = cuda::thread_number(); i < count;
       i += std::ptrdiff_t(gridDim.x) * threads)
    sum += weights ? double(x[i]) * double(weights[i]) : double(x[i]);
  partial[self] = sum;
  for (unsigned half = threads / 2; half > 0; half /= 2) {  // a tree: 128 pairs, 64 pairs ...
    __syncthreads();
    if (self < half) partial[self] += partial[self + half];
  }
  if (self == 0) sums[blockIdx.x] = partial[0];
}

__global__ void sum_of_blocks(double* sums, int count) {
  for (int i = 1; i < count; ++i) sums[0] += sums[i];
}

// One warp a row. Each lane finds the first largest of its own numbers; then the lanes compare, in
// halves of the warp, quarters, eighths ...
__global__ void first_largest(const float* x, int* places, std::ptrdiff_t rows, int columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float* row = x + r * columns;
  int place = cuda::lane_number() < columns ? cuda::lane_number() : 0;
  for (int v = place; v < columns; v += cuda::warp_lanes)
    if (row[v] > row[place]) place = v;
  float top = row[place];
  for (int distance = cuda::warp_lanes / 2; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(~0u, top, distance);
    const int there = __shfl_xor_sync(~0u, place, distance);
    if (other > top || (other == top && there < place)) {
      top = other;
      place = there;
    }
  }
  if (cuda::lane_number() == 0) places[r] = place;
}

}  // namespace

template <>
void argmax(Cuda, const float* x, std::span<int> places, int columns) {
  cuda::Buffer<int> found(places.size());
  const auto rows = static_cast<std::ptrdiff_t>(places.size());
  cuda::launch(cuda::one_warp_each("first_largest", rows), first_largest, x, found.data(), rows,
               columns);
  cuda::copy_to_host(places.data(), found.data(), places.size_bytes());
}

template <>
double sum(Cuda, const float* x, const float* weights, std::ptrdiff_t count) {
  if (count == 0) return 0;
  const std::ptrdiff_t wanted = (count + threads - 1) / threads;
  const int blocks = static_cast<int>(wanted < most_blocks ? wanted : most_blocks);
  cuda::Buffer<double> sums(static_cast<std::size_t>(blocks));
  cuda::launch({"partial_sums", static_cast<unsigned>(blocks), threads}, partial_sums, x, weights,
               sums.data(), count);
  cuda::launch({"sum_of_blocks", 1, 1}, sum_of_blocks, sums.data(), blocks);
  double total = 0;
  cuda::copy_to_host(&total, sums.data(), sizeof total);
  return total;
}

}  // namespace xf::kernel
