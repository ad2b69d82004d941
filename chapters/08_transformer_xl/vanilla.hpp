#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "05_encoder/encoder.hpp"
#include "08_transformer_xl/config.hpp"
#include "08_transformer_xl/memory.hpp"

namespace xf {

// What there was before: a stack that reads the text segment by segment and forgets everything in
// between. It is made of chapters 1 to 5: absolute positions 0 ... T-1, which begin anew with every
// segment, and encoder layers under a causal mask.                      Al-Rfou et al. 2018
//   h^0 = embeddings + PE(0 ... T-1),   h^N = Encoder(h^0, causal)
// (Al-Rfou et al. learn their positions, and train with auxiliary losses, which are left out.)
//
// With a memory (the kind recurrent_vanilla) its layers see the segments before as Transformer-XL's
// do, but positions stay absolute: token i of the memory and token i of the segment have the same
// number, and no query can tell which is nearer.                 Dai et al. 2019, 3.3
struct Vanilla {
  Encoder encoder;

  Vanilla(const TransformerXlConfig& config, Random& random)
      : encoder(config.layers, layer_sizes(config), random) {
    for (EncoderLayer& layer : encoder.layers)
      layer.self_attention.dropout_rate = static_cast<float>(config.attention_dropout);
  }

  // What all layers see of a segment: (1, T, M + T).
  Mask view(const SegmentLengths& n) const { return segment_mask(n, false); }

  // x: (B, T, D)   returns (B, T, D)
  Tensor placed(const Tensor& x) const { return add_positions(x); }

  // From h^0 to h^N; the memory, into which no gradient flows, moves on by this segment.
  //   x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x, Memory& memory, const Mask& mask) const {
    const Scope scope("encoder");
    const auto layer = [&](std::size_t i, const Tensor& h, const Tensor& past) {
      return encoder.layers[i](h, mask, past);
    };
    const Tensor h = with_memory(encoder.layers.size(), x, memory, layer);  // (B, T, D)
    return encoder.ends_in_norm ? encoder.final_norm(h) : h;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("encoder", encoder);
  }
};

// The vanilla model of these sizes, without what means nothing to it.
inline TransformerXlConfig as_vanilla(TransformerXlConfig c) {
  c.kind = ModelKind::vanilla;
  c.memory = c.clamp = 0;
  c.same_length = c.untie = false;
  return c;
}

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
