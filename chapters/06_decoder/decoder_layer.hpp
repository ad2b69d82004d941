#pragma once

#include "05_encoder/encoder_layer.hpp"
#include "ops/attention/attend_rows.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

// The keys and values of one layer, a row of D numbers each, heads side by side. `past` grows by a
// row a sentence with every step, so that a step costs O(t) instead of O(t^2); `memory` holds the
// encoder's output, projected once. Which rows belong to whom, the DecoderCache knows.
struct LayerCache {
  struct KeysValues {
    GrowingRows k, v;  // (N, D) each
  };
  KeysValues past;    // of the positions decoded so far
  KeysValues memory;  // (B S, D) each
};

// The attention weights of one decoder layer.
struct DecoderWeights {
  Tensor self;   // (B, H, T, T)
  Tensor cross;  // (B, H, T, S)
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
                    const Mask& memory_mask, DecoderWeights* weights = nullptr) const {
    const auto attend_self = [&](const Tensor& h) {
      return self_attention(h, h, self_mask, weights ? &weights->self : nullptr);
    };
    const auto attend_memory = [&](const Tensor& h) {
      return cross_attention(h, memory, memory_mask, weights ? &weights->cross : nullptr);
    };
    return blocks(x, attend_self, attend_memory);  // (B, T, D)
  }

  // The same for one new position, the earlier ones being in the cache.
  //   x: (B, 1, D)   seen, seen_memory: the rows of the cache that each sentence attends to, its
  //   new one included   returns (B, 1, D), and appends to the cache
  // No self mask is needed: the cache holds nothing but the past.
  Tensor step(const Tensor& x, LayerCache& cache, const RowLists& seen,
              const RowLists& seen_memory) const {
    const auto attend_self = [&](const Tensor& h) {
      const MultiHeadAttention& a = self_attention;
      const auto [q, k, v] = outputs(h, a.w_q, a.w_k, a.w_v);  // (B, 1, D) each
      cache.past.k.append(k);
      cache.past.v.append(v);
      return a.w_o(attend_rows(q, cache.past.k, cache.past.v, seen, a.heads));
    };
    const auto attend_memory = [&](const Tensor& h) {
      const MultiHeadAttention& a = cross_attention;
      return a.w_o(attend_rows(a.w_q(h), cache.memory.k, cache.memory.v, seen_memory, a.heads));
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
    x = residual(x, self_attention_norm, order, dropout_rate, attend_self);
    x = residual(x, cross_attention_norm, order, dropout_rate, attend_memory);
    return residual(x, feed_forward_norm, order, dropout_rate, feed_forward);
  }
};

}  // namespace xf
