#pragma once

#include "autograd/tape.hpp"

namespace xf {

// (B, T, H*Dk) -> (B, H, T, Dk): head h gets the columns [h Dk, (h+1) Dk).
// Throws std::invalid_argument when `heads` does not divide the last axis.
Tensor split_heads(const Tensor& x, int heads);
// (B, H, T, Dk) -> (B, T, H*Dk), the inverse; each is the other's backward. Throws
// std::invalid_argument for another number of axes.
Tensor merge_heads(const Tensor& x);

}  // namespace xf
