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
      if (!allowed.defined() || allowed.data()[mask_row * length + row - first])
        lists[b].push_back(row);
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

  // An empty cache for decoding against `memory`, with a mask as in allowed_rows().
  DecoderCache start(const Tensor& memory, const Mask& memory_mask) const {
    RowLists allowed = allowed_rows(memory, memory_mask);
    DecoderCache cache{
        .layers = {}, .past = RowLists(allowed.size()), .memory = std::move(allowed)};
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
