#pragma once

#include "ops/top_k/top_k.hpp"

namespace xf::kernel {

// The first k <= columns numbers of each row, in order. `found` is of the host.
template <class On>
void top_k(On, const float* x, int k, Placed* found, std::ptrdiff_t rows, int columns);

}  // namespace xf::kernel
