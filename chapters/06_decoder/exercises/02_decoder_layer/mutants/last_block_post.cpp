// en: the third block is post-norm, the first two are pre-norm: its norm, too, is for what the
//     branch reads
// zh: 第三块成了 post，前两块是 pre：它的归一化也是给分支的输入用的

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return layer.feed_forward_norm(z + layer.feed_forward(z));
}

}  // namespace xf::exercise
