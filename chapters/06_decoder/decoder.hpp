#pragma once

#include "05_encoder/stack.hpp"
#include "06_decoder/decoder_layer.hpp"

namespace xf {

// What the decoder remembers from one decoding step to the next.
struct DecoderCache {
  KeyValueCache past;    // of the positions so far, separate for each sentence
  KeyValueCache source;  // of the encoder's output, where the mask allows it

  // Positions decoded so far.
  int length() const { return past.seen.empty() ? 0 : static_cast<int>(past.seen[0].size()); }
  // How many sentences are being decoded.
  int sentences() const { return static_cast<int>(past.seen.size()); }
  // Sentence b continues the previous sentence parents[b].
  void select(const std::vector<int>& parents) {
    past.select(parents);
    source.select(parents);
  }
};

// The rows of the encoder's output (B S, D) that each sentence may attend to.
//   encoded: (B, S, D)   mask: (B|1, 1, S), or nothing for all
// Throws std::invalid_argument when the mask does not fit.
inline RowLists allowed_rows(const Tensor& encoded, const Mask& mask) {
  const int batch = encoded.size(0), length = encoded.size(1);
  const Ids allowed = mask.allowed();
  const bool fits = !allowed.defined() || allowed.shape() == Shape{batch, 1, length} ||
                    allowed.shape() == Shape{1, 1, length};
  if (!fits)
    throw std::invalid_argument("decoder: the encoder's output is " + encoded.shape().str() +
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

  // x: (B, T, D), embedded   encoded: (B, S, D)   masks as in DecoderLayer   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Tensor& encoded, const Mask& self_mask,
                    const Mask& source_mask) const {
    return through(x, [&](const DecoderLayer& layer, const Tensor& h, std::size_t) {
      return layer(h, encoded, self_mask, source_mask);
    });
  }

  // The same one position at a time; the cache holds the keys and values of the earlier positions
  // and of the encoder's output.
  //   x: (B, 1, D), embedded at position cache.length()   returns (B, 1, D)
  Tensor operator()(const Tensor& x, DecoderCache& cache) const {
    return through(x, [&](const DecoderLayer& layer, const Tensor& h, std::size_t i) {
      return layer(h, cache.past[i], cache.source[i]);
    });
  }

  // The cache for the first step of decoding against `encoded`; the mask is as in allowed_rows().
  DecoderCache start(const Tensor& encoded, const Mask& source_mask) const {
    DecoderCache cache;
    cache.source.seen = allowed_rows(encoded, source_mask);
    cache.past.seen.resize(cache.source.seen.size());
    cache.past.layers.resize(layers.size());
    for (const DecoderLayer& layer : layers) {
      const auto [k, v] = layer.cross_attention.keys_values(encoded);
      cache.source.layers.push_back({GrowingRows(k), GrowingRows(v)});
    }
    return cache;
  }
};

}  // namespace xf
