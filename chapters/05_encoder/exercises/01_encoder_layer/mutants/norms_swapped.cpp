// en: norm_1 and norm_2 are swapped: norm_1 belongs to the attention's block
// zh: norm_1 和 norm_2 放反了：norm_1 属于注意力那一块

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    const Matrix y = layer.norm_2(x + layer.attention(x));
    return layer.norm_1(y + layer.feed_forward(y));
  }
  const Matrix y = x + layer.attention(layer.norm_2(x));
  return y + layer.feed_forward(layer.norm_1(y));
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  Matrix z = x;
  for (const EncoderParts& layer : layers) z = encoder_layer(z, layer, order);
  return order == NormOrder::pre ? final_norm(z) : z;
}

}  // namespace xf::exercise
