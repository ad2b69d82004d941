// en: attention and feed-forward network ran side by side, x + attention + feed-forward: the
//     second block starts from the first one's y
// zh: 注意力和前馈网络并排算了，x + 注意力 + 前馈：第二块应从第一块的输出 y 开始

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    return layer.norm_2(layer.norm_1(x + layer.attention(x) + layer.feed_forward(x)));
  }
  return x + layer.attention(layer.norm_1(x)) + layer.feed_forward(layer.norm_2(x));
}

Matrix encoder(const Matrix& x, const std::vector<EncoderParts>& layers, const Layer& final_norm,
               NormOrder order) {
  Matrix z = x;
  for (const EncoderParts& layer : layers) z = encoder_layer(z, layer, order);
  return order == NormOrder::pre ? final_norm(z) : z;
}

}  // namespace xf::exercise
