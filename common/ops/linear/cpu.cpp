#include <algorithm>
#include <cstddef>

#include "ops/linear/kernels.hpp"

namespace xf::kernel {

void repeat_row(Cpu, const float* row, float* y, int rows, int columns) {
  for (int r = 0; r < rows; ++r) std::copy_n(row, columns, y + std::ptrdiff_t(r) * columns);
}

}  // namespace xf::kernel
