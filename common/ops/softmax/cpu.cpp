#include <algorithm>
#include <cstddef>

#include "ops/softmax/kernels.hpp"
#include "ops/softmax/row.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

std::ptrdiff_t rows_per_task(int columns) { return std::max(1, (1 << 14) / (columns + 1)); }

}  // namespace

template <>
void softmax(Cpu, const float* x, float scale, const MaskLayout& mask, float* y,
             std::ptrdiff_t rows, int columns) {
  parallel_for(rows, rows_per_task(columns), [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    with_constant_columns(columns, [&](auto count) {
      for (std::ptrdiff_t r = first; r < last; ++r) {
        const float* from = x + r * count;
        float* to = y + r * count;
        const std::int32_t* allowed = mask.row(r);
        const auto among = [allowed](int j) { return allowed[j] != 0; };
        allowed ? softmax_row(from, scale, among, to, count)
                : softmax_row(from, scale, all_allowed, to, count);
      }
    });
  });
}

template <>
void softmax_backward(Cpu, const float* y, const float* dy, float scale, float* dx,
                      std::ptrdiff_t rows, int columns) {
  parallel_for(rows, rows_per_task(columns), [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    with_constant_columns(columns, [=](auto count) {
      for (std::ptrdiff_t r = first; r < last; ++r)
        softmax_backward_row(y + r * count, dy + r * count, scale, dx + r * count, count);
    });
  });
}

}  // namespace xf::kernel
