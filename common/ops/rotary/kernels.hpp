#pragma once

#include <cstddef>

#include "tensor/device.hpp"

namespace xf::kernel {

struct Turns {
  const float* table;  // (positions, d_k)
  int positions, d_k;
  float direction;  // 1, or -1: back
};

// Row r has position r % positions. y may be x.
template <class On>
void rotate(On, const float* x, const Turns& turns, float* y, std::ptrdiff_t rows, int columns);

}  // namespace xf::kernel
