// en: the norm at the end of the pre-norm stack is missing: the sum grows with depth
// zh: pre-norm 的末尾漏了归一化：层数越多，和就越大

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
  return z;
}

}  // namespace xf::exercise
