// en: the decoder has no causal mask: it sees the words that it should predict
// zh: 解码器没有因果掩码：看得到自己要预测的词

#include "exercise.hpp"

namespace xf::exercise {

static Tensor embed(const Ids& ids, const Tensor& table) {
  const float root_d = std::sqrt(static_cast<float>(table.size(1)));
  return root_d * embedding(ids, table) + sinusoidal_positions(ids.size(1), table.size(1));
}

Tensor logits(const ModelParts& model, const Ids& source, const Ids& target) {
  const Mask readable = padding_mask(source, 0);
  const Tensor memory = model.encoder(embed(source, model.source_table), readable);  // (B, S, D)
  const Tensor x = model.decoder(embed(target, model.target_table), memory, {}, readable);
  return linear(x, model.target_table, {});  // (B, T, Vt)
}

}  // namespace xf::exercise
