#pragma once

#include <cstddef>
#include <span>

#include "ops/shape/growing_rows.hpp"
#include "tensor/device.hpp"

namespace xf::kernel {

// Copies `blocks` runs of `size` floats, `from_step` and `to_step` apart.
template <class On>
void copy_blocks(On, const float* from, std::ptrdiff_t from_step, float* to, std::ptrdiff_t to_step,
                 std::ptrdiff_t size, std::ptrdiff_t blocks);
// (batch, m, n) -> (batch, n, m).
template <class On>
void transpose(On, const float* x, float* y, std::ptrdiff_t batch, int m, int n);
// Row i of y becomes row rows[i] of x; `rows` is ascending, and y may be x.
template <class On>
void move_up(On, const float* x, std::span<const int> rows, float* y, int columns);
// The rows as a new tensor, (N, D).
[[nodiscard]] Tensor copy_rows(const GrowingRows& rows);

}  // namespace xf::kernel
