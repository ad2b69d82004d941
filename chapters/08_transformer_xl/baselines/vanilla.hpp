#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "05_encoder/encoder.hpp"
#include "08_transformer_xl/config.hpp"
#include "08_transformer_xl/memory.hpp"

namespace xf {

// The model before Transformer-XL: a stack that reads the text segment by segment and forgets
// everything in between. It uses chapters 1 to 5: absolute positions 0 ... T-1, the same in every
// segment, and encoder layers under a causal mask.                      Al-Rfou et al. 2018
//   h^0 = embeddings + PE(0 ... T-1),   h^N = Encoder(h^0, causal)
// (Al-Rfou et al. learn their positions, and train with auxiliary losses, which are omitted here.)
//
// With a memory (the kind recurrent_vanilla) its layers see the previous segments as in
// Transformer-XL, but positions stay absolute: token i of the memory and token i of the segment
// have the same position, and no query can tell which is nearer.        Dai et al. 2019, 3.3
struct Vanilla {
  Encoder encoder;
  float dropout_rate;  // on the sum of embeddings and positions

  Vanilla(const TransformerXlConfig& config, Random& random)
      : encoder(config.layers, layer_sizes(config), random),
        dropout_rate(static_cast<float>(config.dropout)) {
    for (EncoderLayer& layer : encoder.layers)
      layer.self_attention.dropout_rate = static_cast<float>(config.attention_dropout);
  }

  static Memory start(const TransformerXlConfig& c) {
    return {.memory_length = c.memory, .extended_length = c.extended};
  }
  static int memory_width(const TransformerXlConfig& c) { return c.d_model; }

  // From the embeddings to h^N; the memory, into which no gradient flows, advances by this segment.
  //   x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x, Memory& memory) const {
    const Scope scope("encoder");
    const Mask mask = segment_mask(memory.lengths(x.size(1)), false);  // (1, T, M + T)
    const auto run = [&](const EncoderLayer& layer, const Tensor& h, const Memory::Layer& past,
                         std::size_t) { return through(layer, h, past, mask); };
    return with_memory(encoder, dropout(add_positions(x), dropout_rate), memory, run);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("encoder", encoder);
  }

 private:
  // An encoder layer whose keys are [past ; x].
  static Tensor through(const EncoderLayer& layer, const Tensor& x, const Memory::Layer& past,
                        const Mask& mask) {
    const auto attend = [&](const Tensor& h) {
      const Scope scope("self_attention");
      const Tensor context = past.context(h, layer.self_attention_norm, layer.order);
      return layer.self_attention(h, context, mask);
    };
    const Tensor y =
        residual(x, layer.self_attention_norm, layer.order, layer.dropout_rate, attend);
    return residual(y, layer.feed_forward_norm, layer.order, layer.dropout_rate,
                    layer.feed_forward);
  }
};

// The vanilla model of these sizes, without the fields that it does not use.
inline TransformerXlConfig as_vanilla(TransformerXlConfig c) {
  c.kind = ModelKind::vanilla;
  c.memory = c.clamp = 0;
  c.same_length = c.untie = false;
  return c;
}

// The config of a vanilla model with as many parameters as Transformer-XL has with `c`, to within
// half a hidden unit per layer. Per layer, with Dff units at 2D + 1 each and D + 4D for the rest:
//   Transformer-XL   5 D^2               (+ 2D for u and v, once or per layer)
//   vanilla          4 D^2 + 4 D
// Hidden units make up for the projections that it lacks.
inline TransformerXlConfig vanilla_equal(TransformerXlConfig c) {
  const double biases = 2.0 * c.d_model * (c.untie ? 1.0 : 1.0 / c.layers);
  const double missing = double(c.d_model) * c.d_model + biases - 4.0 * c.d_model;
  c.d_ff += static_cast<int>(std::lround(missing / (2.0 * c.d_model + 1)));
  return c;
}

}  // namespace xf
