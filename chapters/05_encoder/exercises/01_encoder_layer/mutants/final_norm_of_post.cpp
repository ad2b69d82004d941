// en: the final norm went to the post-norm stack: it is the pre-norm stack that needs one
// zh: 末尾的归一化给了 post-norm：需要它的是 pre-norm

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    const Matrix y = layer.norm_1(x + layer.attention(x));
    return layer.norm_2(y + layer.feed_forward(y));
  }
  const Matrix y = x + layer.attention(layer.norm_1(x));
  return y + layer.feed_forward(layer.norm_2(y));
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  Matrix z = x;
  for (const EncoderParts& layer : layers) z = encoder_layer(z, layer, order);
  return order == NormOrder::post ? final_norm(z) : z;
}

}  // namespace xf::exercise
