#pragma once

#include "05_encoder/encoder.hpp"
#include "08_transformer_xl/transformer_xl.hpp"

namespace xf {

// What there was before: the language model that reads a text segment by segment and forgets
// everything in between. It is made of chapters 1 to 5: absolute positions 0 ... T-1, which begin
// anew with every segment, and encoder layers under a causal mask.       Al-Rfou et al. 2018
//   h^0 = sqrt(D) E[ids] + PE(0 ... T-1),   logits = Encoder(h^0, causal) E^T + b
// (Al-Rfou et al. learn their positions, and train with auxiliary losses, which are left out.)
// Dropout on the attention weights follows the config's `dropout`.
struct Vanilla {
  TransformerXlConfig config;  // memory, extended, same_length, clamp and untie mean nothing here
  TokenEmbedding embedding;    // (V, D)
  Encoder encoder;
  AdaptiveSoftmax output;  // (V, D), the embedding table when tied

  // Throws UserError for a config that makes no model.
  Vanilla(const TransformerXlConfig& settings, Random& random)
      : config(checked(settings)),
        embedding(settings.vocabulary, settings.d_model, random),
        encoder(settings.layers, layer_sizes(settings), random),
        output(settings.vocabulary, settings.d_model,
               cutoff_list(settings.cutoffs, settings.vocabulary), random) {
    if (config.tied) output.weight = embedding.weight;
    draw_as_published(*this, random);
  }

  // ids: (B, T)   returns (B, T, D)
  // With `weights`, appends each layer's attention weights (B, H, T, T).
  Tensor hidden(const Ids& ids, std::vector<Tensor>* weights = nullptr) const {
    const auto rate = static_cast<float>(config.dropout);
    const Tensor x = dropout(add_positions(embedding(ids)), rate);                     // (B, T, D)
    return dropout(encoder(x, causal_mask(ids.size(1), ids.size(1)), weights), rate);  // (B, T, D)
  }

  // ids: (B, T)   returns logits (B, T, V)
  Tensor operator()(const Ids& ids, std::vector<Tensor>* weights = nullptr) const {
    return output.logits(hidden(ids, weights));
  }

  // The mean of -log p(expected) over the last T' positions.
  //   ids: (B, T)   expected: (B, T') with T' <= T   returns a scalar
  Tensor loss(const Ids& ids, const Ids& expected, const CrossEntropyOptions& options = {}) const {
    const int wanted = expected.size(1);
    return output.loss(slice(hidden(ids), 1, ids.size(1) - wanted, wanted), expected, options);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("embedding", embedding);
    v("encoder", encoder);
    v("output", output);
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
