// en: post: attention and feed-forward network ran side by side: each sum has its own norm, the
//     second starts from y
// zh: post：注意力和前馈网络并排算了：每个和各有自己的归一化，第二个和从 y 开始

#include "exercise.hpp"

namespace xf::exercise {

Matrix encoder_layer(const Matrix& x, const EncoderParts& layer, NormOrder order) {
  if (order == NormOrder::post) {
    return layer.norm_2(x + layer.attention(x) + layer.feed_forward(x));
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
