// en: padding was told by the id 1: here it is 0
// zh: 用 id 1 判断填充：这里的填充是 0

#include "exercise.hpp"

namespace xf::exercise {

static Tensor embed(const Ids& ids, const Tensor& table) {
  const float root_d = std::sqrt(static_cast<float>(table.size(1)));
  return root_d * embedding(ids, table) + sinusoidal_positions(ids.size(1), table.size(1));
}

Tensor logits(const ModelParts& model, const Ids& source, const Ids& target) {
  const Mask readable = padding_mask(source, 1);
  const Tensor memory = model.encoder(embed(source, model.source_table), readable);  // (B, S, D)
  const int t = target.size(1);
  const Tensor x = model.decoder(embed(target, model.target_table), memory, causal_mask(t, t),
                                 readable);  // (B, T, D)
  return linear(x, model.target_table, {});  // (B, T, Vt)
}

}  // namespace xf::exercise
