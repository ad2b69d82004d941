#include "cuda/launch.hpp"
#include "ops/top_k/kernels.hpp"

namespace xf::kernel {

namespace {

constexpr int threads = 256, warps = threads / cuda::warp_lanes;

// In the order of the result.
__device__ bool before(const Placed& a, const Placed& b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

__device__ Placed number_at(const float* row, int v) {
  return {row[v] == row[v] ? row[v] : -INFINITY, v};  // NaN is not even itself
}

// The first of all lanes' numbers, in every lane.
__device__ Placed warp_first(Placed first) {
  for (int distance = cuda::warp_lanes / 2; distance > 0; distance /= 2) {
    const Placed other{__shfl_xor_sync(~0u, first.value, distance),
                       __shfl_xor_sync(~0u, first.index, distance)};
    if (before(other, first)) first = other;
  }
  return first;
}

// One block per row. It goes through the row k times, each time for the next number in order: each
// thread searches its own numbers, then the lanes of each warp compare theirs, then all threads
// those that the warps have found.
__global__ void first_k(const float* x, int k, Placed* found, int columns) {
  __shared__ Placed of_warps[warps];
  const float* row = x + std::ptrdiff_t(blockIdx.x) * columns;
  const int self = static_cast<int>(threadIdx.x);
  Placed last{INFINITY, -1};
  for (int n = 0; n < k; ++n) {
    Placed first{-INFINITY, columns};
    for (int v = self; v < columns; v += threads) {
      const Placed number = number_at(row, v);
      if (before(last, number) && before(number, first)) first = number;
    }
    first = warp_first(first);
    __syncthreads();  // what the warps had found before has been read
    if (cuda::lane_number() == 0) of_warps[self / cuda::warp_lanes] = first;
    __syncthreads();
    last = of_warps[0];
    for (int w = 1; w < warps; ++w)
      if (before(of_warps[w], last)) last = of_warps[w];
    if (self == 0) found[std::ptrdiff_t(blockIdx.x) * k + n] = last;
  }
}

}  // namespace

template <>
void top_k(Cuda, const float* x, int k, Placed* found, std::ptrdiff_t rows, int columns) {
  const auto count = static_cast<std::size_t>(rows * k);
  cuda::Buffer<Placed> there(count);
  cuda::launch({"first_k", static_cast<unsigned>(rows), threads}, first_k, x, k, there.data(),
               columns);
  cuda::copy_to_host(found, there.data(), count * sizeof(Placed));
}

}  // namespace xf::kernel
