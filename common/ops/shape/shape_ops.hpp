#pragma once

#include "autograd/tape.hpp"

namespace xf {

// All throw std::invalid_argument for an axis, a row or a size that x does not have. backward adds
// each gradient where its element came from, so a row that was taken twice gets the sum.

// The same elements under another shape of equal size; nothing is copied.
Tensor reshape(const Tensor& x, const Shape& shape);
// Swaps the last two axes: (..., M, N) -> (..., N, M).
Tensor transpose(const Tensor& x);
// Joins along `axis` (negative: from the end); the other axes must match.
Tensor concat(const Tensor& a, const Tensor& b, int axis);
// Elements [first, first + count) of `axis`.
Tensor slice(const Tensor& x, int axis, int first, int count);
// Rows of the first axis, in the order given (repeats allowed): for beam search.
Tensor gather_rows(const Tensor& x, const std::vector<int>& rows);

}  // namespace xf
