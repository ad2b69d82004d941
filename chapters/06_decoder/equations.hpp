#pragma once

#include "05_encoder/equations.hpp"
#include "06_decoder/decoder_layer.hpp"

namespace xf::equations {

// The equations of a decoder layer, for one sentence.
//   x: (T, D)   encoded: (S, D)   self_mask: (T, T)   source_mask: (T, S)   returns (T, D)
inline Matrix decoder_layer(const Matrix& x, const Matrix& encoded, const Matrix& self_mask,
                            const Matrix& source_mask, const DecoderLayer& layer) {
  const LayerNorm& norm_1 = layer.self_attention_norm;
  const LayerNorm& norm_2 = layer.cross_attention_norm;
  const LayerNorm& norm_3 = layer.feed_forward_norm;
  if (layer.order == NormOrder::post) {
    const Matrix y = layer_norm(x + multi_head(x, x, self_mask, layer.self_attention), norm_1);
    const Matrix z =
        layer_norm(y + multi_head(y, encoded, source_mask, layer.cross_attention), norm_2);
    return layer_norm(z + feed_forward(z, layer.feed_forward), norm_3);
  }
  const Matrix h = layer_norm(x, norm_1);
  const Matrix y = x + multi_head(h, h, self_mask, layer.self_attention);
  const Matrix g = layer_norm(y, norm_2);
  const Matrix z = y + multi_head(g, encoded, source_mask, layer.cross_attention);
  return z + feed_forward(layer_norm(z, norm_3), layer.feed_forward);
}

}  // namespace xf::equations
