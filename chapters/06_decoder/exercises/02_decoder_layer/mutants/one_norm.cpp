// en: one norm was used for all three blocks: each has its own
// zh: 三块共用了一个归一化：每块有自己的

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.self_norm(y), memory, memory_mask);
  return z + layer.feed_forward(layer.self_norm(z));
}

}  // namespace xf::exercise
