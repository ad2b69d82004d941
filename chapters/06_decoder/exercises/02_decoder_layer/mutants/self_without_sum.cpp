// en: the residual of the self-attention is missing: its output is added to x
// zh: 漏了自注意力的残差：它的输出要加到 x 上

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
