#include "exercise.hpp"

namespace xf::exercise {

// Written by somebody who tried it with a text in which no word stands twice, in one block.
__global__ void count_words(const int* ids, int* counts, int count, int words) {
  TODO("11-06: my/11-06_lost_counts_autopsy.cpp");
  __shared__ int of_block[most_words];
  const int self = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x * blockDim.x) + self;
  if (self < words) of_block[self] = 0;
  __syncthreads();
  if (i < count) ++of_block[ids[i]];
  __syncthreads();
  if (self < words) counts[self] += of_block[self];
}

}  // namespace xf::exercise
