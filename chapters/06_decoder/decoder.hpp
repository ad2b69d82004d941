#pragma once

#include <vector>

#include "06_decoder/decoder_layer.hpp"

namespace xf {

// What the decoder remembers between two steps of decoding.
struct DecoderCache {
  std::vector<LayerCache> layers;
  Mask memory_mask;  // (B, 1, S)
  int length = 0;    // positions decoded so far
};

// N decoder layers; with pre-norm, one more norm at the end.
struct Decoder {
  std::vector<DecoderLayer> layers;
  LayerNorm final_norm;  // used by pre-norm only
  NormOrder order;

  Decoder(int layer_count, const LayerSizes& sizes, Random& random)
      : final_norm(sizes.d_model, sizes.eps), order(sizes.norm) {
    for (int i = 0; i < layer_count; ++i) layers.emplace_back(sizes, random);
  }

  // x: (B, T, D), embedded   memory: (B, S, D)   masks as in DecoderLayer   returns (B, T, D)
  // With `weights`, appends each layer's attention weights.
  Tensor operator()(Tensor x, const Tensor& memory, const Mask& self_mask, const Mask& memory_mask,
                    std::vector<DecoderWeights>* weights = nullptr) const {
    for (const DecoderLayer& layer : layers)
      x = layer(x, memory, self_mask, memory_mask, weights ? &weights->emplace_back() : nullptr);
    return order == NormOrder::pre ? final_norm(x) : x;  // (B, T, D)
  }

  // An empty cache for decoding against `memory`: (B, S, D).
  DecoderCache start(const Tensor& memory, const Mask& memory_mask) const {
    DecoderCache cache{.layers = {}, .memory_mask = memory_mask};
    for (const DecoderLayer& layer : layers)
      cache.layers.push_back({.past = {}, .memory = layer.cross_attention.keys_values(memory)});
    return cache;
  }

  // One more position.   x: (B, 1, D), embedded at position cache.length   returns (B, 1, D)
  Tensor step(Tensor x, DecoderCache& cache) const {
    for (std::size_t i = 0; i < layers.size(); ++i)
      x = layers[i].step(x, cache.layers[i], cache.memory_mask);  // (B, 1, D)
    ++cache.length;
    return order == NormOrder::pre ? final_norm(x) : x;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("layers", layers);
    if (order == NormOrder::pre) v("final_norm", final_norm);
  }
};

}  // namespace xf
