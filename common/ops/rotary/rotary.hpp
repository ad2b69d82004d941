#pragma once

#include "autograd/tape.hpp"

namespace xf {

// Rotates each pair of elements of each head by the angle for its position, from the first element
// towards the second: Su et al. 2021, eq. 34, applied to queries and keys. There, a pair is two
// adjacent elements; here it is elements i and i + Dk/2, the layout "halves" of published models:
//   y[i] = x[i] cos - x[i + Dk/2] sin,   y[i + Dk/2] = x[i + Dk/2] cos + x[i] sin
// with cos = turns[t, i] and sin = turns[t, i + Dk/2] for the row's position t.
//   x: (B, T, H*Dk), heads side by side   turns: (T, Dk)   returns the shape of x
// backward: dx is dy rotated back; `turns` has no gradient.
// Throws std::invalid_argument when the sizes do not match or Dk is odd.
Tensor rotate(const Tensor& x, const Tensor& turns);

}  // namespace xf
