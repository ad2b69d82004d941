#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/device.hpp"

namespace xf::kernel {

// y_i = keep_i x_i / (1 - p): whether element i is kept is a function of the key and i alone. The
// rate is rounded to a multiple of 2^-16.
template <class On>
void dropout(On, const float* x, float p, std::uint64_t key, const Output& y, std::ptrdiff_t count);

}  // namespace xf::kernel
