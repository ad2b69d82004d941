#pragma once

#include "02_attention/mask.hpp"
#include "02_attention/multi_head_attention.hpp"
#include "03_layer_norm/residual.hpp"
#include "04_feed_forward/feed_forward.hpp"
#include "05_encoder/layer_sizes.hpp"
#include "autograd/recorder.hpp"

namespace xf {

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
  Tensor operator()(const Tensor& x, const Mask& mask) const {
    const auto attend = [&](const Tensor& h) {
      const Scope scope("self_attention");
      return self_attention(h, h, mask);
    };
    const Tensor y = residual(x, self_attention_norm, order, dropout_rate, attend);
    return residual(y, feed_forward_norm, order, dropout_rate, feed_forward);
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
