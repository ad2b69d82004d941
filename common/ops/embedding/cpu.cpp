#include <algorithm>

#include "ops/embedding/kernels.hpp"

namespace xf::kernel {

template <>
void gather(Cpu, const std::int32_t* ids, const float* table, float* y, std::ptrdiff_t count,
            int columns) {
  for (std::ptrdiff_t i = 0; i < count; ++i)
    std::copy_n(table + std::ptrdiff_t(ids[i]) * columns, columns, y + i * columns);
}

template <>
void scatter_add(Cpu, const std::int32_t* ids, const float* dy, float* dtable, std::ptrdiff_t count,
                 int columns) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    float* row = dtable + std::ptrdiff_t(ids[i]) * columns;
    for (int c = 0; c < columns; ++c) row[c] += dy[i * columns + c];
  }
}

}  // namespace xf::kernel
