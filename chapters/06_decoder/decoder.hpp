#pragma once

#include <vector>

#include "06_decoder/decoder_layer.hpp"

namespace xf {

// What the decoder remembers between two steps of decoding. The rows of the layers' keys and values
// never move: a sentence has lists of the rows that are its own.
struct DecoderCache {
  std::vector<LayerCache> layers;
  RowLists past;    // for each sentence the rows of its positions so far
  RowLists memory;  // and the rows of the encoder's output that the mask allows
  int length = 0;   // positions decoded so far

  // Sentence b goes on from what was sentence parents[b], which may be chosen more than once: what
  // beam search needs. Only the lists are copied.
  void select(const std::vector<int>& parents) {
    for (RowLists* lists : {&past, &memory}) {
      RowLists chosen;
      for (int parent : parents) chosen.push_back(lists->at(static_cast<std::size_t>(parent)));
      *lists = std::move(chosen);
    }
  }
};

// The positions of (B, S, D), counted as rows of (B S, D), that the mask allows each sentence.
//   mask: (B|1, 1, S), or undefined for all
inline RowLists allowed_rows(const Mask& mask, int batch, int length) {
  RowLists lists(static_cast<std::size_t>(batch));
  for (int b = 0; b < batch; ++b)
    for (int s = 0; s < length; ++s) {
      const int row = mask.defined() && mask.allowed.size(0) > 1 ? b : 0;
      if (!mask.defined() || mask.allowed.data()[row * length + s])
        lists[static_cast<std::size_t>(b)].push_back(b * length + s);
    }
  return lists;
}

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

  // An empty cache for decoding against `memory`: (B, S, D).   memory_mask: (B|1, 1, S)
  // Throws std::invalid_argument when the mask does not fit.
  DecoderCache start(const Tensor& memory, const Mask& memory_mask) const {
    const int batch = memory.size(0), length = memory.size(1);
    if (memory_mask.defined() && memory_mask.allowed.shape() != Shape{batch, 1, length} &&
        memory_mask.allowed.shape() != Shape{1, 1, length})
      throw std::invalid_argument("decoder: the memory is " + memory.shape().str() +
                                  ", its mask is " + memory_mask.allowed.shape().str());
    DecoderCache cache{.layers = {},
                       .past = RowLists(static_cast<std::size_t>(batch)),
                       .memory = allowed_rows(memory_mask, batch, length)};
    for (const DecoderLayer& layer : layers) {
      const MultiHeadAttention& cross = layer.cross_attention;
      cache.layers.push_back(
          {.past = {}, .memory = {GrowingRows(cross.w_k(memory)), GrowingRows(cross.w_v(memory))}});
    }
    return cache;
  }

  // One more position.   x: (B, 1, D), embedded at position cache.length   returns (B, 1, D)
  Tensor step(Tensor x, DecoderCache& cache) const {
    int new_row = layers.empty() ? 0 : cache.layers[0].past.k.count();
    for (std::vector<int>& rows : cache.past) rows.push_back(new_row++);
    for (std::size_t i = 0; i < layers.size(); ++i)
      x = layers[i].step(x, cache.layers[i], cache.past, cache.memory);  // (B, 1, D)
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
