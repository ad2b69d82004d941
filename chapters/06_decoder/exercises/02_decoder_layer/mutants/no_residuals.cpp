// en: the residuals are missing: what a block gives is added to what went in
// zh: 漏了残差：每块的输出要加到它的输入上

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = layer.self_attention(h, h, self_mask);
  const Tensor z = layer.cross_attention(layer.cross_norm(y), memory, memory_mask);
  return layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
