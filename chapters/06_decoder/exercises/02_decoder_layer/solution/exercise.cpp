#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& encoded,
                     const Mask& self_mask, const Mask& source_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), encoded, source_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

Tensor decoder(const std::vector<DecoderParts>& layers, const LayerNorm& final_norm,
               const Tensor& x, const Tensor& encoded, const Mask& self_mask,
               const Mask& source_mask) {
  Tensor words = x;
  for (const DecoderParts& layer : layers)
    words = decoder_layer(layer, words, encoded, self_mask, source_mask);
  return final_norm(words);
}

}  // namespace xf::exercise
