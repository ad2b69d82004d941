#pragma once

#include "02_attention/multi_head_attention.hpp"
#include "03_layer_norm/layer_norm.hpp"
#include "04_feed_forward/feed_forward.hpp"
#include "support/kit.hpp"

namespace xf::exercise {

// The parts of one decoder layer.
struct DecoderParts {
  const MultiHeadAttention& self_attention;
  const LayerNorm& self_norm;
  const MultiHeadAttention& cross_attention;
  const LayerNorm& cross_norm;
  const FeedForward& feed_forward;
  const LayerNorm& feed_forward_norm;
};

// Self-attention, cross attention, feed-forward, each in a pre-norm residual block.
//   x: (B, T, D)   encoded: (B, S, D)   self_mask: (B, T, T)   source_mask: (B, 1, S)
//   returns (B, T, D)
Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& encoded,
                     const Mask& self_mask, const Mask& source_mask);

// The layers one after the other, each asking the same output of the encoder, then the last norm.
//   shapes as above
Tensor decoder(const std::vector<DecoderParts>& layers, const LayerNorm& final_norm,
               const Tensor& x, const Tensor& encoded, const Mask& self_mask,
               const Mask& source_mask);

}  // namespace xf::exercise
