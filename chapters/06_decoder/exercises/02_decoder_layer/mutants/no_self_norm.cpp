// en: the self-attention read x without its norm
// zh: 自注意力读 x 之前没有做归一化

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor y = x + layer.self_attention(x, x, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
