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
void scatter_add(Cpu, std::span<const std::int32_t> ids, const float* dy, float* dtable,
                 int columns) {
  for (const std::int32_t id : ids) {
    float* row = dtable + std::ptrdiff_t(id) * columns;
    for (int c = 0; c < columns; ++c) row[c] += dy[c];
    dy += columns;
  }
}

}  // namespace xf::kernel
