#pragma once

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int most_words = 128, block_threads = 64;

// How often each word occurs in the text: counts[w] is the number of ids equal to w. Each thread
// has one id, and a block has block_threads threads. The counts are 0 before the kernel starts.
//   ids: (count), 0 to words - 1   counts: (words), both on the device; words is at most most_words
__global__ void count_words(const int* ids, int* counts, int count, int words);

}  // namespace xf::exercise
