// en: pre: x = norm(x) before the sum, in both blocks: x itself must be added, not its norm
// zh: pre：两个残差块在求和前都写了 x = norm(x)：应加 x 本身，不是它的归一化结果

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    const Matrix y = layer.norm_1(x + layer.attention(x));
    return layer.norm_2(y + layer.feed_forward(y));
  }
  const Matrix h = layer.norm_1(x);
  const Matrix y = h + layer.attention(h);
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
