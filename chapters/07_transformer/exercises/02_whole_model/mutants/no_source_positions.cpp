// en: the source got no positions: it is embedded as the target is
// zh: 源句没有加位置编码：它的嵌入方式与目标句相同

#include "exercise.hpp"

namespace xf::exercise {

static Tensor embed(const Ids& ids, const Tensor& table) {
  const float root_d = std::sqrt(static_cast<float>(table.size(1)));
  return root_d * embedding(ids, table) + sinusoidal_positions(ids.size(1), table.size(1));
}

Tensor logits(const ModelParts& model, const Ids& source, const Ids& target) {
  const Mask readable = padding_mask(source, 0);
  const Tensor memory = model.encoder(std::sqrt(static_cast<float>(model.source_table.size(1))) *
                                          embedding(source, model.source_table),
                                      readable);  // (B, S, D)
  const int t = target.size(1);
  const Tensor x = model.decoder(embed(target, model.target_table), memory, causal_mask(t, t),
                                 readable);  // (B, T, D)
  return linear(x, model.target_table, {});  // (B, T, Vt)
}

}  // namespace xf::exercise
