// en: x was overwritten by its norm: the residual adds norm(x), not x
// zh: x 被自己的归一化结果覆盖：残差加上的是 norm(x)，不是 x

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = layer.cross_norm(h + layer.self_attention(h, h, self_mask));
  const Tensor z = layer.feed_forward_norm(y + layer.cross_attention(y, memory, memory_mask));
  return z + layer.feed_forward(z);
}

}  // namespace xf::exercise
