// en: the two masks are swapped: each belongs to one of the attentions
// zh: 两个掩码放反了：它们各属于一个注意力

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, memory_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, self_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
