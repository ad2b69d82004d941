#pragma once

#include "05_encoder/encoder_layer.hpp"

namespace xf {

// What one layer finds in the cache of its decoder.
struct LayerCache {
  KeyValueCache::Layer past;    // the positions decoded so far
  KeyValueCache::Layer memory;  // the encoder's output
};

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

  // x: (B, T, D)   memory: (B, S, D), the encoder's output
  // self_mask: (B|1, T, T), causal and padding   memory_mask: (B|1, 1, S)   returns (B, T, D)
  Tensor operator()(const Tensor& x, const Tensor& memory, const Mask& self_mask,
                    const Mask& memory_mask) const {
    const auto attend_self = [&](const Tensor& h) { return self_attention(h, h, self_mask); };
    const auto attend_memory = [&](const Tensor& h) {
      return cross_attention(h, memory, memory_mask);
    };
    return blocks(x, attend_self, attend_memory);  // (B, T, D)
  }

  // The same for one new position, the earlier ones being in the cache, which it joins.
  //   x: (B, 1, D)   returns (B, 1, D)
  Tensor step(const Tensor& x, const LayerCache& cache) const {
    const auto attend_self = [&](const Tensor& h) { return self_attention.step(h, cache.past); };
    const auto attend_memory = [&](const Tensor& h) {
      return cross_attention.attend(h, cache.memory);
    };
    return blocks(x, attend_self, attend_memory);  // (B, 1, D)
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

 private:
  template <class AttendSelf, class AttendMemory>
  Tensor blocks(Tensor x, const AttendSelf& attend_self, const AttendMemory& attend_memory) const {
    x = residual(x, self_attention_norm, order, dropout_rate, [&](const Tensor& h) {
      const Scope scope("self_attention");
      return attend_self(h);
    });
    x = residual(x, cross_attention_norm, order, dropout_rate, [&](const Tensor& h) {
      const Scope scope("cross_attention");
      return attend_memory(h);
    });
    return residual(x, feed_forward_norm, order, dropout_rate, feed_forward);
  }
};

}  // namespace xf
