#pragma once

#include <algorithm>
#include <cstddef>

#include "tensor/parallel.hpp"

namespace xf::kernel {

// Calls body(r, start) for every row of a (rows, columns) matrix, where `start` is the offset of
// row r. Large matrices are split over the threads.
template <class Body>
void for_each_row(std::ptrdiff_t rows, int columns, const Body& body) {
  parallel_for(rows, std::max(1, (1 << 14) / std::max(1, columns)),
               [&](std::ptrdiff_t first, auto last) {
                 for (std::ptrdiff_t r = first; r < last; ++r) body(r, r * columns);
               });
}

}  // namespace xf::kernel
