#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int block_threads = 128;

// A copy of a list on the device. Pass data() to kernels.
struct List : cuda::Buffer<int> {
  explicit List(const std::vector<int>& numbers) : Buffer(numbers.size()) {
    cuda::copy_to_device(data(), numbers.data(), numbers.size() * sizeof(int));
  }
};

// The gradient of an embedding: dtable[w] += the sum of dy[i] over all positions i with
// ids[i] == w, with the same bits in every order of threads and blocks. There is at least one
// position.
//   ids: (count), 0 to words - 1, on the host
//   dy: (count, columns)   dtable: (words, columns), row-major, both on the device
void embedding_gradient(const std::vector<int>& ids, const float* dy, float* dtable, int words,
                        int columns);

}  // namespace xf::exercise
