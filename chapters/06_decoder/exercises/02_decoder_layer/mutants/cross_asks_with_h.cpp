// en: the cross attention asked with h, which has seen no other word: it asks with norm_2(y)
// zh: 交叉注意力用 h 来提问，它还没看过别的词：应使用 norm_2(y)

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(h, memory, memory_mask);
  return z + layer.feed_forward(layer.feed_forward_norm(z));
}

}  // namespace xf::exercise
