// en: pre: norm_1(x) was added in the first block: x itself must be added
// zh: pre：第一个残差块加的是 norm_1(x)：应加 x 本身

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    const Matrix y = layer.norm_1(x + layer.attention(x));
    return layer.norm_2(y + layer.feed_forward(y));
  }
  const Matrix h = layer.norm_1(x);
  const Matrix y = h + layer.attention(h);
  return y + layer.feed_forward(layer.norm_2(y));
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  Matrix z = x;
  for (const EncoderParts& layer : layers) z = encoder_layer(z, layer, order);
  return order == NormOrder::pre ? final_norm(z) : z;
}

}  // namespace xf::exercise
