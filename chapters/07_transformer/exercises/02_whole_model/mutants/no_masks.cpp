// en: neither the encoder nor the decoder was given the padding mask of the source
// zh: 编码器和解码器都没有用源句的填充掩码

#include "exercise.hpp"

namespace xf::exercise {

static Tensor embed(const Ids& ids, const Tensor& table) {
  const float root_d = std::sqrt(static_cast<float>(table.size(1)));
  return root_d * embedding(ids, table) + sinusoidal_positions(ids.size(1), table.size(1));
}

Tensor logits(const ModelParts& model, const Ids& source, const Ids& target) {
  const Tensor memory = model.encoder(embed(source, model.source_table), {});  // (B, S, D)
  const int t = target.size(1);
  const Tensor x =
      model.decoder(embed(target, model.target_table), memory, causal_mask(t, t), {});  // (B, T, D)
  return linear(x, model.target_table, {});  // (B, T, Vt)
}

}  // namespace xf::exercise
