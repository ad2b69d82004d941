// en: keys and values of the cross attention come from the decoder: the source is never read
// zh: 交叉注意力的键和值取自解码器：源句根本没有读

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor n = layer.cross_norm(y);
  const Tensor z = y + layer.cross_attention(n, n, self_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
