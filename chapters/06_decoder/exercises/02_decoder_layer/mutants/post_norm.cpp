// en: the sums were normalised: that is post-norm; here the norm is for what a branch reads
// zh: 对和做了归一化，那是 post-norm；本题只对支路读进去的东西做归一化

#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& memory,
                     const Mask& self_mask, const Mask& memory_mask) {
  const Tensor y = layer.self_norm(x + layer.self_attention(x, x, self_mask));
  const Tensor z = layer.cross_norm(y + layer.cross_attention(y, memory, memory_mask));
  return layer.feed_forward_norm(z + layer.feed_forward(z));
}

}  // namespace xf::exercise
