#pragma once

#include <vector>

#include "01_embedding/token_embedding.hpp"
#include "05_encoder/encoder_layer.hpp"
#include "08_transformer_xl/adaptive_softmax.hpp"
#include "08_transformer_xl/config.hpp"
#include "08_transformer_xl/key_memory.hpp"
#include "08_transformer_xl/memory.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "08_transformer_xl/relative_position.hpp"
#include "08_transformer_xl/word_dropout.hpp"
#include "nn/parameters.hpp"

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

// Draws all parameters as the published code does: weights, u and v from normal(0, 0.02), gammas
// from normal(1, 0.02), biases and betas 0.
template <class Model>
void draw_as_published(Model& model, Random& random) {
  for (const NamedParameter& p : parameters(model)) {
    const bool zero = p.name.ends_with("bias") || p.name.ends_with("beta");
    const double mean = p.name.ends_with("gamma") ? 1 : 0, deviation = zero ? 0 : 0.02;
    for (std::ptrdiff_t i = 0; i < p.tensor->count(); ++i)
      p.tensor->data()[i] = static_cast<float>(mean + deviation * random.normal());
  }
}

// The language model: token t's state predicts token t + 1.             Dai et al. 2019
//   h^0 = sqrt(D) E[ids],   h^n = layer_n(h^(n-1), memory^(n-1)),   logits = h^N E^T + b
// With pre-norm one more norm ends the stack, as in chapter 5; the published code has none, which
// is final_norm = "never" in the config.
struct TransformerXl {
  TransformerXlConfig config;
  TokenEmbedding embedding;          // (V, D)
  std::vector<GlobalBiases> biases;  // one, shared by all layers; untied: one per layer
  std::vector<TransformerXlLayer> layers;
  LayerNorm final_norm;
  bool ends_in_norm;       // is final_norm used?
  AdaptiveSoftmax output;  // (V, D), the embedding table when tied
  RelativePositions positions;
  float embedding_dropout = 0;  // of whole words; what trains the model may set it

  // Throws UserError for a config that makes no model.
  TransformerXl(const TransformerXlConfig& settings, Random& random)
      : config(checked(settings)),
        embedding(settings.vocabulary, settings.d_model, random),
        final_norm(settings.d_model, layer_sizes(settings).eps),
        ends_in_norm(layer_sizes(settings).ends_in_norm()),
        output(settings.vocabulary, settings.d_model,
               cutoff_list(settings.cutoffs, settings.vocabulary), random),
        positions(settings.memory + settings.extended + settings.segment, settings.d_model,
                  settings.clamp) {
    const LayerSizes sizes = layer_sizes(config);
    const auto attention_dropout = static_cast<float>(config.attention_dropout);
    for (int i = 0; i < config.layers; ++i) layers.emplace_back(sizes, attention_dropout, random);
    for (int i = 0; i < (config.untie ? config.layers : 1); ++i)
      biases.emplace_back(config.d_model, config.heads, random);
    if (config.tied) output.weight = embedding.weight;
    draw_as_published(*this, random);
  }

  // The memory at the start of a text. Its lengths may be changed: they touch no parameter.
  Memory start() const {
    return {.memory_length = config.memory, .extended_length = config.extended};
  }

  // The last layer's states, and the memory moves on by this segment.
  //   ids: (B, T)   returns (B, T, D)
  // Throws std::invalid_argument when the memory is another batch's.
  Tensor hidden(const Ids& ids, Memory& memory) const {
    check(ids, memory);
    const auto rate = static_cast<float>(config.dropout);
    const SegmentLengths lengths = memory.lengths(ids.size(1));
    const int keys = lengths.present_length + lengths.query_length;  // S
    const Mask mask = segment_mask(lengths, config.same_length);     // (1, T, S)
    const Tensor r = dropout(positions(keys), rate);                 // (S, D)
    Tensor x = dropout(embed(ids), rate);                            // (B, T, D)
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Scope scope("layers", i);
      inputs.push_back(x);
      x = layers[i](x, memory.of(i), r, biases[config.untie ? i : 0], mask);
      watch("output", x);
    }
    memory.update(inputs);
    return dropout(ends_in_norm ? final_norm(x) : x, rate);  // (B, T, D)
  }

  // The same numbers without projecting anything twice, for a model that is not being trained.
  //   ids: (B, T)   returns (B, T, D)
  Tensor hidden(const Ids& ids, KeyMemory& memory) const {
    const SegmentLengths lengths = memory.lengths(ids.size(1));
    const Mask mask = segment_mask(lengths, config.same_length);  // (1, T, S)
    memory.layers.resize(layers.size());
    Tensor x = embedding(ids);  // (B, T, D)
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const Scope scope("layers", i);
      KeyMemory::Layer& past = memory.layers[i];
      past.reach(lengths.present_length + lengths.query_length, layers[i].attention, positions);
      x = layers[i](x, past, biases[config.untie ? i : 0], mask);
      watch("output", x);
    }
    memory.keep(lengths);
    return ends_in_norm ? final_norm(x) : x;  // (B, T, D)
  }
  KeyMemory start_keys() const {
    return {.memory_length = config.memory, .extended_length = config.extended};
  }

  // ids: (B, T)   returns logits (B, T, V); with cutoffs log p, see AdaptiveSoftmax::logits
  Tensor operator()(const Ids& ids, Memory& memory) const {
    return output.logits(hidden(ids, memory));
  }
  Tensor operator()(const Ids& ids, KeyMemory& memory) const {
    return output.logits(hidden(ids, memory));
  }

  // The mean of -log p(expected). The repeated tokens at the segment's beginning are context
  // only: `expected` belongs to the last positions.
  //   ids: (B, T)   expected: (B, T') with T' <= T   returns a scalar
  Tensor loss(const Ids& ids, const Ids& expected, Memory& memory,
              const CrossEntropyOptions& options = {}) const {
    const Tensor h = hidden(ids, memory);
    const int wanted = expected.size(1);
    return output.loss(slice(h, 1, ids.size(1) - wanted, wanted), expected, options);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("embedding", embedding);
    v("biases", biases);
    v("layers", layers);
    if (ends_in_norm) v("final_norm", final_norm);
    v("output", output);
  }

 private:
  // ids: (B, T)   returns (B, T, D)
  Tensor embed(const Ids& ids) const {
    return drop_words(embedding(ids), ids, config.vocabulary, embedding_dropout);
  }

  void check(const Ids& ids, const Memory& memory) const {
    if (memory.states.empty()) return;
    const Shape& past = memory.states[0].shape();
    if (memory.states.size() != layers.size() || past[0] != ids.size(0) ||
        past[2] != config.d_model)
      throw std::invalid_argument("transformer_xl: the memory has " +
                                  std::to_string(memory.states.size()) + " layers of " +
                                  past.str() + ", the model " + std::to_string(layers.size()) +
                                  ", the ids are " + ids.shape().str());
  }
};

}  // namespace xf
