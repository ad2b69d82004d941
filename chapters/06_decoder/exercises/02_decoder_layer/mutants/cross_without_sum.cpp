// en: the residual of the cross attention is missing: its output is added to y
// zh: 交叉注意力漏了残差：它的输出要加到 y 上

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
