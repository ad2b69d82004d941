#include "cuda/launch.hpp"
#include "ops/top_k/kernels.hpp"

namespace xf::kernel {

namespace {

constexpr int threads = 256, strip = 4 * threads;

// Whether a comes before b in the result.
__device__ bool before(const Placed& a, const Placed& b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

__device__ Placed number_at(const float* row, int v) {
  return {row[v] == row[v] ? row[v] : -INFINITY, v};  // false for NaN
}

// One block per row, which it reads once, a strip at a time. Elements that rank after the k held
// are skipped, as nearly all are after the first strips. Each of the others, and each one held,
// counts how many rank before it: that is its position, regardless of the order of arrival.
__global__ void first_k(const float* x, int k, Placed* found, int columns) {
  __shared__ Placed held[2][max_k], fresh[strip];
  __shared__ int count;
  const float* row = x + std::ptrdiff_t(blockIdx.x) * columns;
  const int self = static_cast<int>(threadIdx.x);
  int now = 0, size = 0;  // held[now] has `size` numbers, in order
  for (int first = 0, last; first < columns; first = last) {
    last = first + (first == 0 ? threads : strip);  // shorter at first: all of it is fresh
    if (last > columns) last = columns;
    if (self == 0) count = 0;
    __syncthreads();
    for (int v = first + self; v < last; v += threads) {
      const Placed number = number_at(row, v);
      if (size < k || before(number, held[now][k - 1])) fresh[atomicAdd(&count, 1)] = number;
    }
    __syncthreads();  // the whole strip is loaded
    const int all = size + count;
    if (count > 0) {
      for (int i = self; i < all; i += threads) {
        const Placed own = i < size ? held[now][i] : fresh[i - size];
        int place = 0;
        for (int j = 0; j < size; ++j) place += before(held[now][j], own);
        for (int j = size; j < all; ++j) place += before(fresh[j - size], own);
        if (place < k) held[1 - now][place] = own;
      }
      size = all < k ? all : k;
      now = 1 - now;
    }
    __syncthreads();  // the strip has been read
  }
  for (int n = self; n < k; n += threads) found[std::ptrdiff_t(blockIdx.x) * k + n] = held[now][n];
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
