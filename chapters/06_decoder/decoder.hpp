#pragma once

#include <vector>

#include "06_decoder/decoder_layer.hpp"

namespace xf {

// What the decoder remembers between two steps of decoding.
struct DecoderCache {
  KeyValueCache past;    // of the positions so far, each sentence's own
  KeyValueCache memory;  // of the encoder's output, as far as the mask allows
  int length = 0;        // positions decoded so far

  LayerCache layer(std::size_t i) { return {past[i], memory[i]}; }

  // How many sentences are being decoded.
  int sentences() const { return static_cast<int>(past.seen.size()); }
  // Sentence b goes on from what was sentence parents[b].
  void select(const std::vector<int>& parents) {
    past.select(parents);
    memory.select(parents);
  }
};

// The rows of the encoder's output (B S, D) that each sentence may attend to.
//   memory: (B, S, D)   mask: (B|1, 1, S), or nothing for all; or, for memory (1, M, D), of packed
//   sentences
// Throws std::invalid_argument when the mask does not fit.
inline RowLists allowed_rows(const Tensor& memory, const Mask& mask) {
  const int length = memory.size(1);
  const Packing* packing = mask.packing();
  const Ids allowed = packing ? Ids() : mask.allowed();
  const int batch = packing ? static_cast<int>(packing->keys.size()) - 1 : memory.size(0);
  const bool fits = packing ? memory.size(0) == 1 && packing->keys.back() == length
                            : !allowed.defined() || allowed.shape() == Shape{batch, 1, length} ||
                                  allowed.shape() == Shape{1, 1, length};
  if (!fits)
    throw std::invalid_argument(
        "decoder: the memory is " + memory.shape().str() + ", its mask is " +
        (packing ? "of packed sentences up to " + std::to_string(packing->keys.back())
                 : allowed.shape().str()));
  RowLists lists(static_cast<std::size_t>(batch));
  for (std::size_t b = 0; b < lists.size(); ++b) {
    const int first = packing ? packing->keys[b] : static_cast<int>(b) * length;
    const int last = packing ? packing->keys[b + 1] : first + length;
    const int mask_row = allowed.defined() && allowed.size(0) > 1 ? static_cast<int>(b) : 0;
    for (int row = first; row < last; ++row)
      if (!allowed.defined() || allowed[mask_row * length + row - first]) lists[b].push_back(row);
  }
  return lists;
}

// N decoder layers; with pre-norm, one more norm at the end.
struct Decoder {
  std::vector<DecoderLayer> layers;
  LayerNorm final_norm;
  bool ends_in_norm;  // is final_norm used? With pre-norm, unless LayerSizes says otherwise

  Decoder(int layer_count, const LayerSizes& sizes, Random& random)
      : final_norm(sizes.d_model, sizes.eps), ends_in_norm(sizes.ends_in_norm()) {
    for (int i = 0; i < layer_count; ++i) layers.emplace_back(sizes, random);
  }

  // x: (B, T, D), embedded   memory: (B, S, D)   masks as in DecoderLayer   returns (B, T, D)
  Tensor operator()(Tensor x, const Tensor& memory, const Mask& self_mask,
                    const Mask& memory_mask) const {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Scope scope("layers", i);
      x = layers[i](x, memory, self_mask, memory_mask);
      watch("output", x);
    }
    return ends_in_norm ? final_norm(x) : x;  // (B, T, D)
  }

  // An empty cache for decoding against `memory`, with a mask as in allowed_rows().
  DecoderCache start(const Tensor& memory, const Mask& memory_mask) const {
    DecoderCache cache;
    cache.memory.seen = allowed_rows(memory, memory_mask);
    cache.past.seen.resize(cache.memory.seen.size());
    cache.past.layers.resize(layers.size());
    for (const DecoderLayer& layer : layers)
      cache.memory.layers.push_back(layer.cross_attention.rows(memory));
    return cache;
  }

  // One more position.   x: (B, 1, D), embedded at position cache.length   returns (B, 1, D)
  Tensor step(Tensor x, DecoderCache& cache) const {
    cache.past.grow();
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Scope scope("layers", i);
      x = layers[i].step(x, cache.layer(i));  // (B, 1, D)
      watch("output", x);
    }
    ++cache.length;
    return ends_in_norm ? final_norm(x) : x;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("layers", layers);
    if (ends_in_norm) v("final_norm", final_norm);
  }
};

}  // namespace xf
