#pragma once

#include "02_attention/mask.hpp"
#include "02_attention/multi_head_attention.hpp"
#include "03_layer_norm/residual.hpp"
#include "04_feed_forward/feed_forward.hpp"
#include "autograd/recorder.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf {

// Which stacks end in one more norm: those of pre-norm (Vaswani et al. have none, their norms being
// last in every block), all (torch.nn.Transformer), or none (Transformer-XL as published).
enum class FinalNorm { with_pre, always, never };

// The sizes that every layer of a stack shares.
struct LayerSizes {
  int d_model, d_ff, heads;
  float dropout = 0;
  NormOrder norm = NormOrder::post;
  Activation activation = Activation::relu;
  float eps = 1e-5f;
  FinalNorm final_norm = FinalNorm::with_pre;

  bool ends_in_norm() const {
    return final_norm == FinalNorm::with_pre ? norm == NormOrder::pre
                                             : final_norm == FinalNorm::always;
  }
};

// What a layer's queries may attend to when there is more than x: [past ; h], where h is x or, with
// pre-norm, norm(x); the past is normalised alike.
//   past: (B, M, D) or undefined   h: (B, T, D)   returns (B, M + T, D)
inline Tensor keys_with_past(const Tensor& past, const Tensor& h, const LayerNorm& norm,
                             NormOrder order) {
  if (!past.defined()) return h;
  return concat(order == NormOrder::pre ? norm(past) : past, h, 1);
}

// Self-attention, then the feed-forward network, each in a residual block.
//   post-norm:  y = norm(x + SelfAttention(x)),   z = norm(y + FFN(y))      Vaswani et al., 3.1
//   pre-norm:   y = x + SelfAttention(norm(x)),   z = y + FFN(norm(y))
struct EncoderLayer {
  MultiHeadAttention self_attention;
  LayerNorm self_attention_norm;
  FeedForward feed_forward;
  LayerNorm feed_forward_norm;
  NormOrder order;
  float dropout_rate;

  EncoderLayer(const LayerSizes& sizes, Random& random)
      : self_attention(sizes.d_model, sizes.heads, sizes.dropout, random),
        self_attention_norm(sizes.d_model, sizes.eps),
        feed_forward(sizes.d_model, sizes.d_ff, sizes.activation, sizes.dropout, random),
        feed_forward_norm(sizes.d_model, sizes.eps),
        order(sizes.norm),
        dropout_rate(sizes.dropout) {}

  // x: (B, S, D)   mask: (B|1, S|1, S), usually the padding mask   returns (B, S, D)
  // With a past (B, M, D), which the encoder never has, the keys are [past ; x]: mask (…, M + S).
  Tensor operator()(const Tensor& x, const Mask& mask, const Tensor& past = {}) const {
    const auto attend = [&](const Tensor& h) {
      const Scope scope("self_attention");
      return self_attention(h, keys_with_past(past, h, self_attention_norm, order), mask);
    };
    const Tensor y = residual(x, self_attention_norm, order, dropout_rate, attend);  // (B, S, D)
    return residual(y, feed_forward_norm, order, dropout_rate, feed_forward);        // (B, S, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("self_attention", self_attention);
    v("self_attention_norm", self_attention_norm);
    v("feed_forward", feed_forward);
    v("feed_forward_norm", feed_forward_norm);
  }
};

}  // namespace xf
