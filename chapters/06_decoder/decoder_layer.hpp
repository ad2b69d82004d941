#pragma once

#include "05_encoder/encoder_layer.hpp"
#include "06_decoder/key_value_cache.hpp"

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

  DecoderLayer(const LayerSizes& sizes, Random& random)
      : self_attention(sizes.d_model, sizes.heads, sizes.dropout, random),
        self_attention_norm(sizes.d_model, sizes.eps),
        cross_attention(sizes.d_model, sizes.heads, sizes.dropout, random),
        cross_attention_norm(sizes.d_model, sizes.eps),
        feed_forward(sizes.d_model, sizes.d_ff, sizes.activation, sizes.dropout, random),
        feed_forward_norm(sizes.d_model, sizes.eps),
        order(sizes.norm),
        dropout_rate(sizes.dropout) {}

  // x: (B, T, D)   encoded: the encoder's output, (B, S, D)
  // self_mask: (B|1, T, T), causal and padding   source_mask: (B|1, 1, S)   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Tensor& encoded, const Mask& self_mask,
                    const Mask& source_mask) const {
    return blocks(
        x, [&](const Tensor& h) { return self_attention(h, h, self_mask); },
        [&](const Tensor& h) { return cross_attention(h, encoded, source_mask); });
  }

  // The same while decoding, for a new position of each sentence. Its keys and values are appended
  // to those of the earlier positions in `past`; those of the encoder's output are in `source`.
  //   x: (B, 1, D)   returns (B, 1, D)
  Tensor operator()(const Tensor& x, const KeyValueCache::Layer& past,
                    const KeyValueCache::Layer& source) const {
    return blocks(
        x, [&](const Tensor& h) { return attend_to_past(self_attention, h, past); },
        [&](const Tensor& h) { return attend_to_source(cross_attention, h, source); });
  }

  // The three residual blocks, with attention as in training or as in decoding.
  template <class AttendSelf, class AttendSource>
  Tensor blocks(const Tensor& x, const AttendSelf& attend_self,
                const AttendSource& attend_source) const {
    const auto to_itself = [&](const Tensor& h) {
      const Scope scope("self_attention");
      return attend_self(h);
    };
    const auto to_source = [&](const Tensor& h) {
      const Scope scope("cross_attention");
      return attend_source(h);
    };
    const Tensor y = residual(x, self_attention_norm, order, dropout_rate, to_itself);
    const Tensor z = residual(y, cross_attention_norm, order, dropout_rate, to_source);
    return residual(z, feed_forward_norm, order, dropout_rate, feed_forward);
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
