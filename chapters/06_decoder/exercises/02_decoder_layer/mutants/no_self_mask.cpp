// en: the self-attention has no mask: each position sees the words that it should predict
// zh: 自注意力没有用掩码：每个位置都看得到自己要预测的词

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, {});
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
