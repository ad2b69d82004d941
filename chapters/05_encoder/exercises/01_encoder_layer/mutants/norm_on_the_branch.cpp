// en: the norm stands on what the sub-layer gives: post normalises the sum, pre what the sub-layer
//     reads
// zh: 归一化做在了子层的输出上：post 对和做，pre 对子层的输入做

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    const Matrix y = x + layer.norm_1(layer.attention(x));
    return y + layer.norm_2(layer.feed_forward(y));
  }
  const Matrix y = x + layer.norm_1(layer.attention(x));
  return y + layer.norm_2(layer.feed_forward(y));
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  Matrix z = x;
  for (const EncoderParts& layer : layers) z = encoder_layer(z, layer, order);
  return order == NormOrder::pre ? final_norm(z) : z;
}

}  // namespace xf::exercise
