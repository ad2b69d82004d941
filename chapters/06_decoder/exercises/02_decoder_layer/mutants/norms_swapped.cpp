// en: cross_norm and feed_forward_norm are swapped
// zh: cross_norm 和 feed_forward_norm 放反了

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor h = layer.self_norm(x);
  const Tensor y = x + layer.self_attention(h, h, self_mask);
  const Tensor z = y + layer.cross_attention(layer.feed_forward_norm(y), memory, memory_mask);
  return z + layer.feed_forward(layer.cross_norm(z));
}

}  // namespace xf::exercise
