#pragma once

#include "05_encoder/encoder_layer.hpp"
#include "05_encoder/stack.hpp"

namespace xf {

// N encoder layers, all with the same mask.                              Vaswani et al., 3.1
struct Encoder : Stack<EncoderLayer> {
  using Stack::Stack;

  // x: (B, S, D), embedded   mask: (B|1, S|1, S)   returns (B, S, D)
  Tensor operator()(const Tensor& x, const Mask& mask) const {
    return through(x, [&](const EncoderLayer& layer, const Tensor& h, std::size_t) {
      return layer(h, mask);  // (B, S, D)
    });
  }
};

}  // namespace xf
