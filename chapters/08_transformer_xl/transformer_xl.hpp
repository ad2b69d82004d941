#pragma once

#include <vector>

#include "05_encoder/encoder_layer.hpp"
#include "08_transformer_xl/config.hpp"
#include "08_transformer_xl/key_memory.hpp"
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
      : attention(sizes.d_model, sizes.heads, attention_dropout, random),
        attention_norm(sizes.d_model, sizes.eps),
        feed_forward(sizes.d_model, sizes.d_ff, sizes.activation, sizes.dropout, random),
        feed_forward_norm(sizes.d_model, sizes.eps),
        order(sizes.norm),
        dropout_rate(sizes.dropout) {}

  // x: (B, T, D)   memory: (B, M, D) or undefined   positions: (S, D), S = M + T
  // mask: (1, T, S)   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Tensor& memory, const Tensor& positions,
                    const GlobalBiases& bias, const Mask& mask) const {
    // SG: no gradient flows into the segments before.
    const Tensor past = memory.defined() ? detach(memory) : memory;
    return blocks(x, [&](const Tensor& h) {
      const Tensor context = keys_with_past(past, h, attention_norm, order);  // (B, S, D)
      return attention.attend(h, attention.keys(context, positions), bias, mask);
    });
  }

  // The same for reading only: the memory comes as its keys and values, to which those of x are
  // appended.
  Tensor operator()(const Tensor& x, KeyMemory::Layer& past, const GlobalBiases& bias,
                    const Mask& mask) const {
    return blocks(x, [&](const Tensor& h) {
      past.append(attention.key(h), attention.value(h));
      return attention.attend(h, past, bias, mask);
    });
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("attention", attention);
    v("attention_norm", attention_norm);
    v("feed_forward", feed_forward);
    v("feed_forward_norm", feed_forward_norm);
  }

 private:
  template <class Attend>
  Tensor blocks(const Tensor& x, const Attend& attend) const {
    const auto named = [&](const Tensor& h) {
      const Scope scope("attention");
      return attend(h);
    };
    const Tensor y = residual(x, attention_norm, order, dropout_rate, named);  // (B, T, D)
    return residual(y, feed_forward_norm, order, dropout_rate, feed_forward);  // (B, T, D)
  }
};

// The layers of the model, between the embeddings and the output (segment_model.hpp):
//   h^n = layer_n(h^(n-1), memory^(n-1)),   n = 1 ... N               Dai et al. 2019, 3.3
// With pre-norm one more norm ends the stack, as in chapter 5; the published code has none, which
// is final_norm = "never" in the config.
struct TransformerXl {
  std::vector<GlobalBiases> biases;  // one, shared by all layers; untied: one per layer
  std::vector<TransformerXlLayer> layers;
  LayerNorm final_norm;
  bool ends_in_norm;  // is final_norm used?
  RelativePositions positions;
  bool same_length;    // every query sees equally many keys
  float dropout_rate;  // of the positions

  TransformerXl(const TransformerXlConfig& config, Random& random)
      : final_norm(config.d_model, layer_sizes(config).eps),
        ends_in_norm(layer_sizes(config).ends_in_norm()),
        positions(config.memory + config.extended + config.segment, config.d_model, config.clamp),
        same_length(config.same_length),
        dropout_rate(static_cast<float>(config.dropout)) {
    const auto attention_dropout = static_cast<float>(config.attention_dropout);
    for (int i = 0; i < config.layers; ++i)
      layers.emplace_back(layer_sizes(config), attention_dropout, random);
    for (int i = 0; i < (config.untie ? config.layers : 1); ++i)
      biases.emplace_back(config.d_model, config.heads, random);
  }

  // What all layers see of a segment: which keys are whose, and how far they are.
  struct View {
    Mask mask;         // (1, T, S)
    Tensor positions;  // (S, D), R_{S-1} ... R_0
  };
  View view(const SegmentLengths& n) const {
    const int keys = n.present_length + n.query_length;  // S
    return {segment_mask(n, same_length), dropout(positions(keys), dropout_rate)};
  }

  // h^0 holds no positions: each layer's attention adds them.
  Tensor placed(const Tensor& x) const { return x; }

  // From h^0 to h^N; the memory moves on by this segment.
  //   x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x, Memory& memory, const View& seen) const {
    const auto layer = [&](std::size_t i, const Tensor& h, const Tensor& past) {
      return layers[i](h, past, seen.positions, bias(i), seen.mask);
    };
    return ended(with_memory(layers.size(), x, memory, layer));  // (B, T, D)
  }

  // The same numbers without projecting anything twice, for a model that is not being trained.
  //   x: (B, T, D)   returns (B, T, D)
  Tensor operator()(Tensor x, KeyMemory& memory) const {
    const SegmentLengths lengths = memory.lengths(x.size(1));
    const Mask mask = segment_mask(lengths, same_length);  // (1, T, S)
    memory.layers.resize(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Scope scope("layers", i);
      KeyMemory::Layer& past = memory.layers[i];
      past.reach(lengths.present_length + lengths.query_length, layers[i].attention, positions);
      x = layers[i](x, past, bias(i), mask);
      watch("output", x);
    }
    memory.keep(lengths);
    return ended(x);  // (B, T, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("biases", biases);
    v("layers", layers);
    if (ends_in_norm) v("final_norm", final_norm);
  }

 private:
  const GlobalBiases& bias(std::size_t i) const { return biases[biases.size() > 1 ? i : 0]; }
  Tensor ended(const Tensor& x) const { return ends_in_norm ? final_norm(x) : x; }
};

}  // namespace xf
