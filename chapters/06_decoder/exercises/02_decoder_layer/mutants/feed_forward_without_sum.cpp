// en: the residual of the feed-forward network is missing: its output is added to z
// zh: 漏了前馈网络的残差：它的输出要加到 z 上

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
