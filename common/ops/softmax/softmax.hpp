#pragma once

#include "autograd/tape.hpp"
#include "ops/mask.hpp"

namespace xf {

struct SoftmaxOptions {
  float scale = 1.0f;
  Mask mask = {};
};

// y = softmax(scale * x) over the last axis, among the allowed positions only:
//   y_j = m_j exp(scale x_j) / sum_k m_k exp(scale x_k)
// A fully masked row gives zeros (not NaN, and not a uniform row).
//   x: (..., S), or (B, H, T, S) with a mask (B|1, T|1, S)   returns the shape of x
// Masked elements of x are never used: they may be infinite or NaN.
// backward: dx_j = scale y_j (dy_j - sum_k dy_k y_k).
// Throws std::invalid_argument when the mask does not fit or the scale is not positive.
Tensor softmax(const Tensor& x, const SoftmaxOptions& options = {});

}  // namespace xf
