#pragma once

#include "autograd/tape.hpp"

namespace xf {

// The divergence of two predictions from each other, in both directions, from their logits:
//   D = 1/divisor  sum over rows of  KL(p || q) + KL(q || p)
//   p = softmax(a_r),   q = softmax(b_r),   KL(p || q) = sum_v p_v log (p_v / q_v)
//   a, b: (..., V)   returns a scalar, shape ()
// backward, with d = log p - log q:
//   da = (p (d - KL(p || q)) + p - q) dD / divisor
//   db = (q (-d - KL(q || p)) + q - p) dD / divisor
// R-Drop (Liang et al. 2021) uses it to bring the predictions of two dropout masks closer together.
// Throws std::invalid_argument when the shapes differ.
Tensor symmetric_divergence(const Tensor& a, const Tensor& b, double divisor);

}  // namespace xf
