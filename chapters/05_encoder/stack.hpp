#pragma once

#include <utility>
#include <vector>

#include "03_layer_norm/layer_norm.hpp"
#include "05_encoder/layer_sizes.hpp"
#include "autograd/recorder.hpp"

namespace xf {

// N layers one after the other; with pre-norm, one more norm at the end (otherwise the sum of all
// residual branches would leave the stack un-normalised).
template <class Layer>
struct Stack {
  std::vector<Layer> layers;
  LayerNorm final_norm;
  bool ends_in_norm;  // whether final_norm is used: with pre-norm, unless LayerSizes says otherwise

  // `more`: further arguments of a layer's constructor.
  template <class... More>
  Stack(int layer_count, const LayerSizes& sizes, Random& random, const More&... more)
      : final_norm(sizes.d_model, sizes.eps), ends_in_norm(sizes.ends_in_norm()) {
    for (int i = 0; i < layer_count; ++i) layers.emplace_back(sizes, more..., random);
  }

  // Passes x through all layers; run(layer, x, i) applies the i-th one.
  //   x: (B, T, D)   returns (B, T, D)
  template <class Run>
  Tensor through(Tensor x, const Run& run) const {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Scope scope("layers", i);
      x = run(layers[i], x, i);  // (B, T, D)
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
