// en: the third block added y: its residual starts from z
// zh: 第三块加的是 y：它的残差应从 z 出发

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return y + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
