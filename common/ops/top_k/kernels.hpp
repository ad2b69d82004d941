#pragma once

#include "ops/top_k/top_k.hpp"

namespace xf::kernel {

// The kernels maintain k sorted elements per row; for a larger k, the host sorts the row instead.
constexpr int max_k = 64;

// The first k <= min(columns, max_k) numbers of each row, in order. `found` is in host memory.
template <class On>
void top_k(On, const float* x, int k, Placed* found, std::ptrdiff_t rows, int columns);

}  // namespace xf::kernel
