// en: the third block normalised its sum as well: the norm is for what the branch reads alone
// zh: 第三块的和又做了一次归一化：归一化只用于分支的输入

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
