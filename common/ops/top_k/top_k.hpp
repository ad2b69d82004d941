#pragma once

#include <vector>

#include "tensor/tensor.hpp"

namespace xf {

// An element of a row and its index in the row.
struct Placed {
  float value;
  int index;
};

// The k largest elements of each row, in descending order, ties in row order; the whole row where
// it has fewer. NaN counts as minus infinity. Only these are copied from a device to the host. Not
// differentiable.
//   x: (..., N)   returns min(k, N) for each row, row after row
// Throws std::invalid_argument unless k and N are at least 1.
std::vector<Placed> top_k(const Tensor& x, int k);

}  // namespace xf
