#pragma once

#include "03_layer_norm/layer_norm.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace xf {

// Where a residual block applies its norm.
enum class NormOrder {
  post,  // norm(x + f(x))      Vaswani et al. 2017, 3.1
  pre,   // x + f(norm(x))      the un-normalised x is kept; the stack ends in one more norm
};

// One residual block around the sub-layer f, with dropout on f's output (Vaswani et al. 2017, 5.4).
//   x: (..., D), f maps (..., D) to (..., D)   returns (..., D)
template <class SubLayer>
Tensor residual(const Tensor& x, const LayerNorm& norm, NormOrder order, float dropout_rate,
                const SubLayer& f) {
  if (order == NormOrder::post) return norm(x + dropout(f(x), dropout_rate));
  return x + dropout(f(norm(x)), dropout_rate);
}

}  // namespace xf
