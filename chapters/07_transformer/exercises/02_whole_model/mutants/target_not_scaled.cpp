// en: the target's embeddings were not multiplied by sqrt(D), the source's were
// zh: 目标句的词嵌入没有乘 sqrt(D)，源句的乘了

#include "exercise.hpp"

namespace xf::exercise {

static Tensor embed(const Ids& ids, const Tensor& table) {
  const float root_d = std::sqrt(static_cast<float>(table.size(1)));
  return root_d * embedding(ids, table) + sinusoidal_positions(ids.size(1), table.size(1));
}

Tensor logits(const ModelParts& model, const Ids& source, const Ids& target) {
  const Mask readable = padding_mask(source, 0);
  const Tensor memory = model.encoder(embed(source, model.source_table), readable);  // (B, S, D)
  const int t = target.size(1);
  const Tensor x = model.decoder(
      embedding(target, model.target_table) + sinusoidal_positions(t, model.target_table.size(1)),
      memory, causal_mask(t, t),
      readable);                             // (B, T, D)
  return linear(x, model.target_table, {});  // (B, T, Vt)
}

}  // namespace xf::exercise
