// en: neither attention was given its mask
// zh: 两个注意力都没有用掩码

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, {});
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, {});
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
