// en: the post-norm stack got a final norm too: its last layer already ends in one
// zh: post-norm 也做了末尾的归一化：它的最后一层本来就以归一化结束

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
  return final_norm(z);
}

}  // namespace xf::exercise
