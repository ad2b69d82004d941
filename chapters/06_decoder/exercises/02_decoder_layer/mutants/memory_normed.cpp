// en: the memory was normalised again: it is used as it comes from the encoder
// zh: memory 又做了一次归一化：编码器的输出直接使用

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z =
      y + layer.cross_attention(layer.cross_norm(y), layer.cross_norm(memory), memory_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
