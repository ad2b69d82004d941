// en: the cross attention came first: the first block is the self-attention
// zh: 交叉注意力放在了前面：第一块是自注意力

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor y = x + layer.cross_attention(layer.cross_norm(x), memory, memory_mask);
  const Tensor h = layer.self_norm(y);
  const Tensor z = y + layer.self_attention(h, h, self_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
