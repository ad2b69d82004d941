#pragma once

#include "autograd/tape.hpp"

namespace xf {

// Turns each pair of numbers of each head by the angle of its position, from the first number
// towards the second: Su et al. 2021, eq. 34, on queries and keys. There a pair is two neighbours;
// here it is the numbers i and i + Dk/2 of a head, the layout "halves" of the published models:
//   y[i] = x[i] cos - x[i + Dk/2] sin,   y[i + Dk/2] = x[i + Dk/2] cos + x[i] sin
// with cos = turns[t, i] and sin = turns[t, i + Dk/2] for the row's position t.
//   x: (B, T, H*Dk), heads side by side   turns: (T, Dk)   returns the shape of x
// backward: dx is dy, turned back; `turns` has no gradient.
// Throws std::invalid_argument when the sizes do not fit or Dk is odd.
Tensor rotate(const Tensor& x, const Tensor& turns);

}  // namespace xf
