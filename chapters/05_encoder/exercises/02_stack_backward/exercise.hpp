#pragma once

#include <functional>
#include <vector>

#include "03_layer_norm/residual.hpp"
#include "support/kit.hpp"

namespace xf::exercise {

using Layer = std::function<Tensor(const Tensor& x)>;
// The backward of a layer at x: turns the gradient of its output into the gradient of x.
using LayerBackward = std::function<Tensor(const Tensor& x, const Tensor& dy)>;

// A residual block's sub-layer and norm, each with its backward.
struct Block {
  Layer f, norm;
  LayerBackward f_back, norm_back;
};

// The gradient that reaches the input of a stack of residual blocks.
//   NormOrder::pre:   y = x + f(norm(x))
//   NormOrder::post:  y = norm(x + f(x))
//   x: (S, D), the input of blocks[0]   dy: (S, D), the gradient of the last block's output
//   returns dx (S, D)
Tensor stack_backward(const Tensor& x, const std::vector<Block>& blocks, NormOrder order,
                      const Tensor& dy);

}  // namespace xf::exercise
