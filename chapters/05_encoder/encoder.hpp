#pragma once

#include <vector>

#include "05_encoder/encoder_layer.hpp"

namespace xf {

// N encoder layers; with pre-norm, one more norm at the end (otherwise the sum of all residual
// branches would leave the stack un-normalised).
struct Encoder {
  std::vector<EncoderLayer> layers;
  LayerNorm final_norm;
  bool ends_in_norm;  // is final_norm used? With pre-norm, unless LayerSizes says otherwise

  Encoder(int layer_count, const LayerSizes& sizes, Random& random)
      : final_norm(sizes.d_model, sizes.eps), ends_in_norm(sizes.ends_in_norm()) {
    for (int i = 0; i < layer_count; ++i) layers.emplace_back(sizes, random);
  }

  // x: (B, S, D), embedded   mask: (B|1, S|1, S)   returns (B, S, D)
  Tensor operator()(Tensor x, const Mask& mask) const {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Scope scope("layers", i);
      x = layers[i](x, mask);  // (B, S, D)
      watch("output", x);
    }
    return ends_in_norm ? final_norm(x) : x;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("layers", layers);
    if (ends_in_norm) v("final_norm", final_norm);
  }
};

}  // namespace xf
