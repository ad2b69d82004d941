// en: the sum was normalised at the end: that norm belongs to the stack, not to a layer
// zh: 最后对和又做了归一化：那属于整个编码器或解码器，不属于一层

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return layer.feed_forward_norm(z + layer.feed_forward(layer.feed_forward_norm(z)));
}

}  // namespace xf::exercise
