// en: the feed-forward network came first: self-attention is the first block
// zh: 前馈网络放在了前面：第一个残差块是自注意力

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    const Matrix y = layer.norm_2(x + layer.feed_forward(x));
    return layer.norm_1(y + layer.attention(y));
  }
  const Matrix y = x + layer.feed_forward(layer.norm_2(x));
  return y + layer.attention(layer.norm_1(y));
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  Matrix z = x;
  for (const EncoderParts& layer : layers) z = encoder_layer(z, layer, order);
  return order == NormOrder::pre ? final_norm(z) : z;
}

}  // namespace xf::exercise
