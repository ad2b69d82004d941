#pragma once

#include "05_encoder/stack.hpp"
#include "06_decoder/decoder_layer.hpp"

namespace xf {

// What the decoder remembers between two steps of decoding.
struct DecoderCache {
  KeyValueCache past;    // of the positions so far, each sentence's own
  KeyValueCache memory;  // of the encoder's output, as far as the mask allows

  // Positions decoded so far.
  int length() const { return past.seen.empty() ? 0 : static_cast<int>(past.seen[0].size()); }
  // How many sentences are being decoded.
  int sentences() const { return static_cast<int>(past.seen.size()); }
  // Sentence b goes on from what was sentence parents[b].
  void select(const std::vector<int>& parents) {
    past.select(parents);
    memory.select(parents);
  }
};

// The rows of the encoder's output (B S, D) that each sentence may attend to.
//   memory: (B, S, D)   mask: (B|1, 1, S), or nothing for all
// Throws std::invalid_argument when the mask does not fit.
inline RowLists allowed_rows(const Tensor& memory, const Mask& mask) {
  const int batch = memory.size(0), length = memory.size(1);
  const Ids allowed = mask.allowed();
  const bool fits = !allowed.defined() || allowed.shape() == Shape{batch, 1, length} ||
                    allowed.shape() == Shape{1, 1, length};
  if (!fits)
    throw std::invalid_argument("decoder: the memory is " + memory.shape().str() +
                                ", its mask is " + allowed.shape().str());
  RowLists lists(static_cast<std::size_t>(batch));
  for (int row = 0; row < batch * length; ++row) {
    const int b = row / length, mask_row = allowed.defined() && allowed.size(0) > 1 ? b : 0;
    if (!allowed.defined() || allowed[mask_row * length + row % length])
      lists[static_cast<std::size_t>(b)].push_back(row);
  }
  return lists;
}

// N decoder layers over the encoder's output.                            Vaswani et al., 3.1
struct Decoder : Stack<DecoderLayer> {
  using Stack::Stack;

  // x: (B, T, D), embedded   memory: (B, S, D)   masks as in DecoderLayer   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Tensor& memory, const Mask& self_mask,
                    const Mask& memory_mask) const {
    return through(x, [&](const DecoderLayer& layer, const Tensor& h, std::size_t) {
      return layer(h, memory, self_mask, memory_mask);
    });
  }

  // The same a position at a time: what was before, and the memory, are in the cache.
  //   x: (B, 1, D), embedded at position cache.length()   returns (B, 1, D)
  Tensor operator()(const Tensor& x, DecoderCache& cache) const {
    return through(x, [&](const DecoderLayer& layer, const Tensor& h, std::size_t i) {
      return layer(h, cache.memory[i], {}, {}, cache.past[i]);
    });
  }

  // The cache with which decoding against `memory` begins, with a mask as in allowed_rows().
  DecoderCache start(const Tensor& memory, const Mask& memory_mask) const {
    DecoderCache cache;
    cache.memory.seen = allowed_rows(memory, memory_mask);
    cache.past.seen.resize(cache.memory.seen.size());
    cache.past.layers.resize(layers.size());
    for (const DecoderLayer& layer : layers) {
      const auto [k, v] = layer.cross_attention.keys_values(memory);
      cache.memory.layers.push_back({GrowingRows(k), GrowingRows(v)});
    }
    return cache;
  }
};

}  // namespace xf
