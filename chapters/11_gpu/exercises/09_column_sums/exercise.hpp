#pragma once

#include "support/watched_kernels.hpp"

namespace xf::exercise {

constexpr int lanes = 32, groups = 8;  // a block has 32 x 8 threads
constexpr int stretch = 64;            // a block adds up 32 columns of this many rows

// The gradient of a bias b that was added to each row of y: db[c] is the sum of column c of dy,
// with the same bits in every order of threads and blocks. There is at least one row and one
// column.
//   dy: (rows, columns), row-major   db: (columns), both on the device
void bias_gradient(const float* dy, float* db, int rows, int columns);

}  // namespace xf::exercise
