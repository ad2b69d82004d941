#pragma once

#include <cstdint>

#include "tensor/device.hpp"

namespace xf::kernel {

// How a mask (B|1, T|1, S) is broadcast over scores (B, H, T, S). Steps are 0 for axes of size 1.
struct MaskLayout {
  const std::int32_t* allowed = nullptr;  // null: everything is allowed
  int heads = 1, queries = 1;
  std::ptrdiff_t batch_step = 0, query_step = 0;

  constexpr const std::int32_t* row(std::ptrdiff_t r) const {
    if (!allowed) return nullptr;
    const auto row = static_cast<std::uint32_t>(r);  // 32-bit division takes half as long
    const std::uint32_t query = row % static_cast<std::uint32_t>(queries);
    const std::uint32_t batch = row / static_cast<std::uint32_t>(queries * heads);
    return allowed + batch * batch_step + query * query_step;
  }
};

template <class On>
void softmax(On, const float* x, float scale, const MaskLayout& mask, float* y, std::ptrdiff_t rows,
             int columns);
// dx = scale y (dy - sum_k dy_k y_k).
template <class On>
void softmax_backward(On, const float* y, const float* dy, float scale, float* dx,
                      std::ptrdiff_t rows, int columns);

}  // namespace xf::kernel
