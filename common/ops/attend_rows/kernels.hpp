#pragma once

#include <span>

#include "tensor/device.hpp"

namespace xf::kernel {

// One query, all heads. q, y: heads * d_k numbers; scores: room for seen.size() + 16 numbers.
void attend_rows(Cpu, const float* q, const float* keys, const float* values,
                 std::span<const int> seen, int heads, int d_k, float* scores, float* y);

}  // namespace xf::kernel
