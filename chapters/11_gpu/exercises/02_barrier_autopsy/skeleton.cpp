#include "exercise.hpp"

namespace xf::exercise {

// Written by somebody who tried it with 64 numbers and 64 threads, once, and saw the right sum.
__global__ void block_sums(const float* x, float* y, int count) {
  TODO("11-02: my/11-02_barrier_autopsy.cpp");
  __shared__ float partial[most_threads];
  const int self = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x * blockDim.x) + self;
  if (i >= count) return;
  partial[self] = x[i];
  for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
    if (self < half) {
      partial[self] += partial[self + half];
      __syncthreads();
    }
  }
  if (self == 0) y[blockIdx.x] = partial[0];
}

}  // namespace xf::exercise
