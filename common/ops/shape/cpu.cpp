#include <algorithm>

#include "ops/shape/kernels.hpp"

namespace xf::kernel {

template <>
void copy_blocks(Cpu, const float* from, std::ptrdiff_t from_step, float* to,
                 std::ptrdiff_t to_step, std::ptrdiff_t size, std::ptrdiff_t blocks) {
  for (std::ptrdiff_t i = 0; i < blocks; ++i)
    std::copy_n(from + i * from_step, size, to + i * to_step);
}

template <>
void transpose(Cpu, const float* x, float* y, std::ptrdiff_t batch, int m, int n) {
  const std::ptrdiff_t size = std::ptrdiff_t(m) * n;
  for (std::ptrdiff_t b = 0; b < batch; ++b)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        y[b * size + std::ptrdiff_t(j) * m + i] = x[b * size + std::ptrdiff_t(i) * n + j];
}

template <>
void move_up(Cpu, const float* x, std::span<const int> rows, float* y, int columns) {
  for (int row : rows) y = std::copy_n(x + std::ptrdiff_t(row) * columns, columns, y);
}

}  // namespace xf::kernel
