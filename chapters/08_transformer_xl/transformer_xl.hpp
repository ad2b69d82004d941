#pragma once

#include <vector>

#include "05_encoder/stack.hpp"
#include "08_transformer_xl/config.hpp"
#include "08_transformer_xl/memory.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "08_transformer_xl/relative_position.hpp"

namespace xf {

// One layer: relative attention over [memory, segment], then the feed-forward network.
//   h~ = [SG(memory) ; x],   q from x,   k and v from h~               Dai et al. 2019, 3.2
//   post-norm:  y = norm(x + Attention(x, h~)),         z = norm(y + FFN(y))
//   pre-norm:   y = x + Attention(norm(x), norm(h~)),   z = y + FFN(norm(y))
struct TransformerXlLayer {
  RelativeAttention attention;
  LayerNorm attention_norm;
  FeedForward feed_forward;
  LayerNorm feed_forward_norm;
  NormOrder order;
  float dropout_rate;

  TransformerXlLayer(const LayerSizes& sizes, float attention_dropout, Random& random)
      : TransformerXlLayer(sizes, sizes.d_model, attention_dropout, random) {}
  // attention_width: H Dk, if it differs from D
  TransformerXlLayer(const LayerSizes& sizes, int attention_width, float attention_dropout,
                     Random& random)
      : attention(sizes.d_model, attention_width, sizes.heads, attention_dropout, random),
        attention_norm(sizes.d_model, sizes.eps),
        feed_forward(sizes.d_model, sizes.d_ff, sizes.activation, sizes.dropout, random),
        feed_forward_norm(sizes.d_model, sizes.eps),
        order(sizes.norm),
        dropout_rate(sizes.dropout) {}

  // x: (B, T, D)   memory: of this layer   positions: (S, D), S = M + T, or more: the last count
  // mask: (1, T, S)   returns (B, T, D)
  Tensor operator()(const Tensor& x, Memory::Layer& memory, const Tensor& positions,
                    const GlobalBiases& bias, const Mask& mask) const {
    const auto attend = [&](const Tensor& h) {
      const Scope scope("attention");
      return attention(h, keys(h, memory, positions), bias, mask);
    };
    const Tensor y = residual(x, attention_norm, order, dropout_rate, attend);  // (B, T, D)
    return residual(y, feed_forward_norm, order, dropout_rate, feed_forward);   // (B, T, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("attention", attention);
    v("attention_norm", attention_norm);
    v("feed_forward", feed_forward);
    v("feed_forward_norm", feed_forward_norm);
  }

 private:
  // The keys of [SG(memory) ; h]: all projected now, or the remembered ones followed by h's.
  RelativeAttention::Keys keys(const Tensor& h, Memory::Layer& memory,
                               const Tensor& positions) const {
    if (memory.what == Remembered::states)
      return attention.keys(memory.context(h, attention_norm, order), positions);
    if (positions.defined()) memory.keys.r = attention.distances(positions);
    memory.append(attention.key(h), attention.value(h));
    return memory.keys;
  }
};

// The layers of the model, between the embeddings and the output (segment_model.hpp):
//   h^n = layer_n(h^(n-1), memory^(n-1)),   n = 1 ... N               Dai et al. 2019, 3.3
// With pre-norm the stack ends in one more norm, as in chapter 5; the published code has none,
// which is final_norm = "never" in the config.
struct TransformerXl {
  std::vector<GlobalBiases> biases;  // one, shared by all layers; untied: one per layer
  Stack<TransformerXlLayer> stack;
  RelativePositions positions;
  bool same_length;    // every query sees the same number of keys
  float dropout_rate;  // on the embeddings and the positions

  TransformerXl(const TransformerXlConfig& config, Random& random)
      : stack(config.layers, layer_sizes(config), random, config.heads * config.head_size(),
              static_cast<float>(config.attention_dropout)),
        positions(config.memory + config.extended + config.segment, config.d_model, config.clamp),
        same_length(config.same_length),
        dropout_rate(static_cast<float>(config.dropout)) {
    for (int i = 0; i < (config.untie ? config.layers : 1); ++i)
      biases.emplace_back(config.heads * config.head_size(), config.heads, random);
  }

  // The memory at the start of a text, and the width of its states.
  static Memory start(const TransformerXlConfig& c, Remembered what) {
    return {.memory_length = c.memory, .extended_length = c.extended, .remembered = what};
  }
  static int memory_width(const TransformerXlConfig& c) { return c.d_model; }

  // From h^0, which contains no positions, to h^N; the memory advances by this segment.
  //   x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x, Memory& memory) const {
    const SegmentLengths n = memory.lengths(x.size(1));
    const Mask mask = segment_mask(n, same_length);  // (1, T, S)
    const Tensor r = distances(n, memory);           // (S, D)
    const auto run = [&](const TransformerXlLayer& layer, const Tensor& h, Memory::Layer& past,
                         std::size_t i) {
      return layer(h, past, r, biases[biases.size() > 1 ? i : 0], mask);
    };
    return with_memory(stack, dropout(x, dropout_rate), memory, run);  // (B, T, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("biases", biases);
    stack.visit(v);
  }

 private:
  // R_{S-1} ... R_0; undefined if the memory has already projected them.   returns (S, D)
  Tensor distances(const SegmentLengths& n, const Memory& memory) const {
    const int keys = n.present_length + n.query_length;  // S
    if (memory.remembered == Remembered::states) return dropout(positions(keys), dropout_rate);
    const bool reached = !memory.layers.empty() && memory.layers[0].keys.r.size(2) >= keys;
    return reached ? Tensor() : positions(std::max(keys, positions.table.size(0)));
  }
};

}  // namespace xf
