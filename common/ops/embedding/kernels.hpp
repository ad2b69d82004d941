#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/device.hpp"

namespace xf::kernel {

template <class On>
void gather(On, const std::int32_t* ids, const float* table, float* y, std::ptrdiff_t count,
            int columns);
// dtable[ids[i]] += dy[i]. `ids` are in host memory.
template <class On>
void scatter_add(On, std::span<const std::int32_t> ids, const float* dy, float* dtable,
                 int columns);

}  // namespace xf::kernel
