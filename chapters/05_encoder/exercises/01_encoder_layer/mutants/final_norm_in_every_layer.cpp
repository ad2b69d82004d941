// en: the final norm was used in every layer: it stands once, behind the last
// zh: 每一层都做了末尾的归一化：它只在最后一层之后做一次

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
  for (const EncoderParts& layer : layers) {
    z = encoder_layer(z, layer, order);
    if (order == NormOrder::pre) z = final_norm(z);
  }
  return z;
}

}  // namespace xf::exercise
