// en: the stack was walked from the last layer to the first
// zh: 从最后一层走到了第一层

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
  for (std::size_t i = layers.size(); i-- > 0;) z = encoder_layer(z, layers[i], order);
  return order == NormOrder::pre ? final_norm(z) : z;
}

}  // namespace xf::exercise
