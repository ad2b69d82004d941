#include "exercise.hpp"

namespace xf::exercise {

__global__ void count_words(const int* ids, int* counts, int count, int words) {
  __shared__ int of_block[most_words];
  const int self = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x * blockDim.x) + self;
  for (int word = self; word < words; word += block_threads) of_block[word] = 0;
  __syncthreads();
  if (i < count) atomicAdd(&of_block[ids[i]], 1);
  __syncthreads();
  for (int word = self; word < words; word += block_threads)
    if (of_block[word] > 0) atomicAdd(&counts[word], of_block[word]);
}

}  // namespace xf::exercise
