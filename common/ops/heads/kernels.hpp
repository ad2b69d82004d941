#pragma once

#include "tensor/device.hpp"

namespace xf::kernel {

// (B, T, H, Dk) -> (B, H, T, Dk). The inverse is the same with T and H swapped.
template <class On>
void swap_middle_axes(On, const float* x, const Output& y, int batch, int t, int h, int d_k);

}  // namespace xf::kernel
