#pragma once

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int most_words = 128, block_threads = 64;

// How often each word stands in the text: counts[w] of the ids that are w. Each thread has one id,
// in blocks of block_threads. The counts are 0 before.
//   ids: (count), 0 to words - 1   counts: (words), both on the device; words is at most most_words
__global__ void count_words(const int* ids, int* counts, int count, int words);

}  // namespace xf::exercise
