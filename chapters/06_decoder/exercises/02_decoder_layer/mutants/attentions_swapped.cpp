// en: the two attentions are swapped: self_attention asks the target, cross_attention the memory
// zh: 两个注意力放反了：self_attention 看目标句，cross_attention 看 memory

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.cross_attention(h, h, self_mask);
  const Tensor z = y + layer.self_attention(layer.cross_norm(y), memory, memory_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
