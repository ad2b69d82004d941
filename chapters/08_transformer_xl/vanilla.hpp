#pragma once

#include "05_encoder/encoder.hpp"
#include "08_transformer_xl/transformer_xl.hpp"

namespace xf {

// What there was before: the language model that reads a text segment by segment and forgets
// everything in between. It is made of chapters 1 to 5: absolute positions 0 ... T-1, which begin
// anew with every segment, and encoder layers under a causal mask.       Al-Rfou et al. 2018
//   h^0 = sqrt(D) E[ids] + PE(0 ... T-1),   logits = Encoder(h^0, causal) E^T + b
// (Al-Rfou et al. learn their positions, and train with auxiliary losses, which are left out.)
//
// With a memory (the kind recurrent_vanilla) its layers see the segments before as Transformer-XL's
// do, but positions stay absolute: token i of the memory and token i of the segment have the same
// number, and no query can tell which is nearer.                 Dai et al. 2019, 3.3
struct Vanilla {
  TransformerXlConfig config;  // same_length, clamp and untie mean nothing here
  TokenEmbedding embedding;    // (V, D)
  Encoder encoder;
  AdaptiveSoftmax output;       // (V, D), the embedding table when tied
  float embedding_dropout = 0;  // of whole words; what trains the model may set it

  // Throws UserError for a config that makes no model.
  Vanilla(const TransformerXlConfig& settings, Random& random)
      : config(checked(settings)),
        embedding(settings.vocabulary, settings.d_model, random),
        encoder(settings.layers, layer_sizes(settings), random),
        output(settings.vocabulary, settings.d_model,
               cutoff_list(settings.cutoffs, settings.vocabulary), random) {
    for (EncoderLayer& layer : encoder.layers)
      layer.self_attention.dropout_rate = static_cast<float>(config.attention_dropout);
    if (config.tied) output.weight = embedding.weight;
    draw_as_published(*this, random);
  }

  // The memory at the start of a text: none but for recurrent_vanilla.
  Memory start() const {
    return {.memory_length = config.kind == ModelKind::recurrent_vanilla ? config.memory : 0,
            .extended_length = config.extended};
  }

  // ids: (B, T)   returns (B, T, D)
  Tensor hidden(const Ids& ids) const {
    const Scope scope("encoder");
    const auto rate = static_cast<float>(config.dropout);
    const Tensor x = dropout(embed(ids), rate);                               // (B, T, D)
    return dropout(encoder(x, causal_mask(ids.size(1), ids.size(1))), rate);  // (B, T, D)
  }

  // The same over [memory, segment], and the memory moves on; without one it is as above.
  //   ids: (B, T)   returns (B, T, D)
  Tensor hidden(const Ids& ids, Memory& memory) const {
    if (memory.memory_length == 0) return hidden(ids);
    const Scope scope("encoder");
    const auto rate = static_cast<float>(config.dropout);
    const Mask mask = segment_mask(memory.lengths(ids.size(1)), false);  // (1, T, M + T)
    Tensor x = dropout(embed(ids), rate);                                // (B, T, D)
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < encoder.layers.size(); ++i) {
      const Scope layer_scope("layers", i);
      inputs.push_back(x);
      x = encoder.layers[i](x, mask, memory.of(i));  // into which no gradient flows
      watch("output", x);
    }
    memory.update(inputs);
    return dropout(encoder.ends_in_norm ? encoder.final_norm(x) : x, rate);
  }

  // ids: (B, T)   returns logits (B, T, V)
  Tensor operator()(const Ids& ids) const { return output.logits(hidden(ids)); }

  Tensor operator()(const Ids& ids, Memory& memory) const {
    return output.logits(hidden(ids, memory));
  }

  // The mean of -log p(expected) over the last T' positions.
  //   ids: (B, T)   expected: (B, T') with T' <= T   returns a scalar
  Tensor loss(const Ids& ids, const Ids& expected, Memory& memory,
              const CrossEntropyOptions& options = {}) const {
    const int wanted = expected.size(1);
    return output.loss(slice(hidden(ids, memory), 1, ids.size(1) - wanted, wanted), expected,
                       options);
  }
  Tensor loss(const Ids& ids, const Ids& expected, const CrossEntropyOptions& options = {}) const {
    Memory none;
    return loss(ids, expected, none, options);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("embedding", embedding);
    v("encoder", encoder);
    v("output", output);
  }

 private:
  // ids: (B, T)   returns (B, T, D)
  Tensor embed(const Ids& ids) const {
    return add_positions(drop_words(embedding(ids), ids, config.vocabulary, embedding_dropout));
  }
};

// The config of a vanilla model with as many parameters as Transformer-XL has with `c`, up to half
// a hidden unit a layer. Per layer, with Dff hidden units at 2D + 1 each and D + 4D for the rest:
//   Transformer-XL   5 D^2               (+ 2D for u and v, once or per layer)
//   vanilla          4 D^2 + 4 D
// What it has less in projections it gets in hidden units.
inline TransformerXlConfig vanilla_equal(TransformerXlConfig c) {
  const double biases = 2.0 * c.d_model * (c.untie ? 1.0 : 1.0 / c.layers);
  const double missing = double(c.d_model) * c.d_model + biases - 4.0 * c.d_model;
  c.d_ff += static_cast<int>(std::lround(missing / (2.0 * c.d_model + 1)));
  return c;
}

}  // namespace xf
