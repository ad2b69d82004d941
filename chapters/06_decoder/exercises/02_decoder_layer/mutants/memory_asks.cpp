// en: queries and keys of the cross attention are swapped: the target asks, the memory answers
// zh: 交叉注意力的查询和键弄反了：应由目标句提问，memory 作答

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(memory, layer.cross_norm(y), memory_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
