#pragma once

#include <utility>

#include "support/kit.hpp"

namespace xf::exercise {

// What the next segment remembers: of the states [memory, h] those from `first` to `last` - 1,
//   last = M + max(0, T - extended_length),   first = max(0, last - memory_length)
//   memory: (B, M, D), undefined for M = 0   h: (B, T, D)   returns (B, last - first, D), detached
Tensor next_memory(const Tensor& memory, const Tensor& h, int memory_length, int extended_length);

}  // namespace xf::exercise
