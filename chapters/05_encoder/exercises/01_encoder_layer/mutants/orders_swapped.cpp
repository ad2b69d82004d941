// en: post and pre are swapped: post normalises the sum, pre what the sub-layer reads
// zh: post 和 pre 写反了：post 对和做归一化，pre 对子层的输入做归一化

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::pre) {
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
  return order == NormOrder::pre ? final_norm(z) : z;
}

}  // namespace xf::exercise
