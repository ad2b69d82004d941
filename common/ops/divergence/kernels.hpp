#pragma once

#include <cstddef>

#include "tensor/device.hpp"

namespace xf::kernel {

// For every row, with log p = a - a_sums[r] and log q = b - b_sums[r]:
// forth[r] = sum_v p (log p - log q),  back[r] = sum_v q (log q - log p).
template <class On>
void divergences(On, const float* a, const float* b, const float* a_sums, const float* b_sums,
                 float* forth, float* back, std::ptrdiff_t rows, int columns);
// With factor = *dloss / divisor:
// da = factor (p (log p - log q - forth[r]) + p - q),
// db = factor (q (log q - log p - back[r]) + q - p).
template <class On>
void divergence_backward(On, const float* a, const float* b, const float* a_sums,
                         const float* b_sums, const float* forth, const float* back, double divisor,
                         const float* dloss, float* da, float* db, std::ptrdiff_t rows,
                         int columns);

}  // namespace xf::kernel
