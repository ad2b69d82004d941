#pragma once

#include "autograd/tape.hpp"

namespace xf {

enum class Transpose { no, yes };

// y = a b, or a b^T when `b_transposed` is Transpose::yes: one matrix product per leading index.
//   a: (..., M, K)   b: (..., K, N) or, transposed, (..., N, K)   returns (..., M, N)
// The leading axes are equal. backward: da = dy b^T, db = a^T dy.
// Throws std::invalid_argument when the leading axes or the inner sizes differ.
Tensor matmul(const Tensor& a, const Tensor& b, Transpose b_transposed = Transpose::no);

}  // namespace xf
