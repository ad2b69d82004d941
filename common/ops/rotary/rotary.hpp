#pragma once

#include "autograd/tape.hpp"

namespace xf {

// Turns each pair of numbers of each head by the angle of its position: the rotation R_k of
// chapter 1, on queries and keys. Su et al. 2021, eq. 34. A head's pairs are its numbers i and
// i + Dk/2, the layout "halves":
//   y[i] = x[i] cos - x[i + Dk/2] sin,   y[i + Dk/2] = x[i + Dk/2] cos + x[i] sin
// with cos = turns[t, i] and sin = turns[t, i + Dk/2] for the row's position t.
//   x: (B, T, H*Dk), heads side by side   turns: (T, Dk)   returns the shape of x
// backward: dx is dy, turned back. There is none for `turns`.
// Throws std::invalid_argument when the sizes do not fit or Dk is odd.
Tensor rotate(const Tensor& x, const Tensor& turns);

}  // namespace xf
