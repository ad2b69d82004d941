// en: the third block added norm(z): z itself is added
// zh: 第三块加的是 norm(z)：应加 z 本身

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  const Tensor n = layer.feed_forward_norm(z);
  return n + layer.feed_forward(n);
}

}  // namespace xf::exercise
