#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int block_threads = 256;

// The sum of `count` numbers that stand on the device; 0 when there are none. One number comes back
// to the host, and the sum is the same, bit by bit, in every order of threads and blocks.
//   x: (count), on the device
float sum_on_device(const float* x, int count);

}  // namespace xf::exercise
