#pragma once

#include "05_encoder/encoder_layer.hpp"

namespace xf {

// Masked self-attention, cross attention to the encoder's output, and the feed-forward network,
// each in a residual block (post- or pre-norm, as in EncoderLayer).      Vaswani et al., 3.1
struct DecoderLayer {
  MultiHeadAttention self_attention;
  LayerNorm self_attention_norm;
  MultiHeadAttention cross_attention;
  LayerNorm cross_attention_norm;
  FeedForward feed_forward;
  LayerNorm feed_forward_norm;
  NormOrder order;
  float dropout_rate;
  Residual shortcut = Residual::sum;

  DecoderLayer(const LayerSizes& sizes, Random& random)
      : self_attention(sizes.d_model, sizes.heads, sizes.dropout, random),
        self_attention_norm(sizes.d_model, sizes.eps),
        cross_attention(sizes.d_model, sizes.heads, sizes.dropout, random),
        cross_attention_norm(sizes.d_model, sizes.eps),
        feed_forward(sizes.d_model, sizes.d_ff, sizes.activation, sizes.dropout, random),
        feed_forward_norm(sizes.d_model, sizes.eps),
        order(sizes.norm),
        dropout_rate(sizes.dropout) {}

  // x: (B, T, D)   encoded: the encoder's output, (B, S, D), or a cache of its keys and values
  // self_mask: (B|1, T, T), causal and padding   source_mask: (B|1, 1, S)   returns (B, T, D)
  // While decoding, x is a new position of each sentence, (B, 1, D), and `past` is the cache of
  // those before, which it joins. No mask is needed then: the cache holds nothing but the past.
  Tensor operator()(const Tensor& x, const Keys& encoded, const Mask& self_mask,
                    const Mask& source_mask, KeyValueCache::Layer past = {}) const {
    const auto attend_self = [&](const Tensor& h) {
      const Scope scope("self_attention");
      return self_attention(h, {h, past}, self_mask);
    };
    const auto attend_source = [&](const Tensor& h) {
      const Scope scope("cross_attention");
      return cross_attention(h, encoded, source_mask);
    };
    const Tensor y = residual(x, self_attention_norm, order, dropout_rate, attend_self, shortcut);
    const Tensor z =
        residual(y, cross_attention_norm, order, dropout_rate, attend_source, shortcut);
    return residual(z, feed_forward_norm, order, dropout_rate, feed_forward, shortcut);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("self_attention", self_attention);
    v("self_attention_norm", self_attention_norm);
    v("cross_attention", cross_attention);
    v("cross_attention_norm", cross_attention_norm);
    v("feed_forward", feed_forward);
    v("feed_forward_norm", feed_forward_norm);
  }
};

}  // namespace xf
