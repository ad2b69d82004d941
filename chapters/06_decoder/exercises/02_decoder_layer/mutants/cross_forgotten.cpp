// en: the cross attention is missing: the source is never read
// zh: 漏了交叉注意力：源句根本没有读

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  return y + layer.feed_forward(layer.feed_forward_norm(y));
}

}  // namespace xf::exercise
