#pragma once

#include "09_since_2017/grouped_attention.hpp"
#include "ops/embedding/embedding.hpp"

namespace xf {

// One layer, pre-norm, without cross attention:
//   y = x + Attention(norm(x)),   z = y + FFN(norm(y))            Radford et al. 2019, 2.3
struct DecoderOnlyLayer {
  DecoderNorm attention_norm;
  GroupedAttention attention;
  DecoderNorm feed_forward_norm;
  SwiGlu feed_forward;

  DecoderOnlyLayer(const DecoderConfig& c, const std::string& name, const ParameterSource& source,
                   int number)
      : attention_norm(c, name + ".attention_norm", source),
        attention(c, name + ".attention", source, number),
        feed_forward_norm(c, name + ".feed_forward_norm", source),
        feed_forward(c, name + ".feed_forward", source) {}

  // x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Tensor& turns, GroupedCache* cache) const {
    const Tensor y = x + attention(attention_norm(x), turns, cache);  // (B, T, D)
    return y + feed_forward(feed_forward_norm(y));                    // (B, T, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("attention_norm", attention_norm);
    v("attention", attention);
    v("feed_forward_norm", feed_forward_norm);
    v("feed_forward", feed_forward);
  }
};

// A language model without an encoder: p(next token | tokens so far).
struct DecoderOnly {
  DecoderConfig config;
  Tensor tokens;     // (V, D)
  Tensor positions;  // (P, D), or undefined with rotary positions
  std::vector<DecoderOnlyLayer> layers;
  DecoderNorm final_norm;
  Linear output;  // (V, D); if tied, it is `tokens`
  RotaryPositions rotary;

  DecoderOnly(const DecoderConfig& c, const ParameterSource& source)
      : config(c),
        tokens(source("tokens", {c.vocabulary, c.d_model})),
        final_norm(c, "final_norm", source),
        output(c.tied ? Linear(tokens)
                      : linear_from(source, "output", c.d_model, c.vocabulary, false)),
        rotary(c.d_k, c.rotary_base, c.scaling) {
    if (c.position == DecoderPositions::learned)
      positions = source("positions", {c.positions, c.d_model});
    for (int i = 0; i < c.layers; ++i)
      layers.emplace_back(c, "layers." + std::to_string(i), source, i);
  }

  using Cache = std::vector<GroupedCache>;  // one a layer

  // The states after the last norm. With a cache, `ids` continue its text.
  //   ids: (B, T)   returns (B, T, D)
  Tensor states(const Ids& ids, Cache* cache = nullptr) const {
    if (cache) cache->resize(layers.size());
    const int first = cache && !cache->empty() ? cache->front().k.count() : 0;
    const int length = ids.size(1);
    Tensor x = embedding(ids, tokens), turns;  // (B, T, D)
    if (positions.defined())
      x = x + slice(positions, 0, first, length);
    else
      turns = rotary.turns(first, length);  // (T, Dk)
    for (std::size_t i = 0; i < layers.size(); ++i)
      x = layers[i](x, turns, cache ? &(*cache)[i] : nullptr);
    return final_norm(x);
  }

  // ids: (B, T)   returns (B, T, V)
  Tensor logits(const Ids& ids) const { return output(states(ids)); }

  // The logits of the next token.   ids: (1, T)   returns (1, 1, V)
  Tensor next_logits(const Ids& ids, Cache& cache) const {
    const Tensor x = states(ids, &cache);
    return output(slice(x, 1, x.size(1) - 1, 1));
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("tokens", tokens);
    if (positions.defined()) v("positions", positions);
    v("layers", layers);
    v("final_norm", final_norm);
    v("output", output);
  }
};

}  // namespace xf
