// en: pre: norm_2(y) was added in the second block: y itself must be added
// zh: pre：第二个残差块加的是 norm_2(y)：应加 y 本身

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    const Matrix y = layer.norm_1(x + layer.attention(x));
    return layer.norm_2(y + layer.feed_forward(y));
  }
  const Matrix y = x + layer.attention(layer.norm_1(x));
  const Matrix n = layer.norm_2(y);
  return n + layer.feed_forward(n);
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  Matrix z = x;
  for (const EncoderParts& layer : layers) z = encoder_layer(z, layer, order);
  return order == NormOrder::pre ? final_norm(z) : z;
}

}  // namespace xf::exercise
