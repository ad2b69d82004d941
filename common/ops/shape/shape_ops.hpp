#pragma once

#include "autograd/tape.hpp"

namespace xf {

// All throw std::invalid_argument for an axis, a row or a size that x does not have. backward puts
// each gradient where its number came from, and adds those of a row that was taken twice.

// The same numbers under another shape of the same count; nothing is copied.
Tensor reshape(const Tensor& x, const Shape& shape);
// Swaps the last two axes: (..., M, N) -> (..., N, M).
Tensor transpose(const Tensor& x);
// Joins along `axis` (negative: from the end); the other axes are equal.
Tensor concat(const Tensor& a, const Tensor& b, int axis);
// Elements [first, first + count) of `axis`.
Tensor slice(const Tensor& x, int axis, int first, int count);
// Rows of the first axis, in the order given (repeats allowed): for beam search.
Tensor gather_rows(const Tensor& x, const std::vector<int>& rows);

}  // namespace xf
