// en: the cross attention has no mask: the padding of the source is read like words
// zh: 交叉注意力没有用掩码：把源句的填充也当成词来读

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, {});
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
