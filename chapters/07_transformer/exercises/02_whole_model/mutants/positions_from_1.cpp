// en: positions counted from 1: the first word stands at 0
// zh: 位置从 1 数起：第一个词的位置是 0

#include "exercise.hpp"

namespace xf::exercise {

static Tensor embed(const Ids& ids, const Tensor& table) {
  const float root_d = std::sqrt(static_cast<float>(table.size(1)));
  return root_d * embedding(ids, table) +
         slice(sinusoidal_positions(ids.size(1) + 1, table.size(1)), 0, 1, ids.size(1));
}

Tensor logits(const ModelParts& model, const Ids& source, const Ids& target) {
  const Mask readable = padding_mask(source, 0);
  const Tensor memory = model.encoder(embed(source, model.source_table), readable);  // (B, S, D)
  const int t = target.size(1);
  const Tensor x = model.decoder(embed(target, model.target_table), memory, causal_mask(t, t),
                                 readable);  // (B, T, D)
  return linear(x, model.target_table, {});  // (B, T, Vt)
}

}  // namespace xf::exercise
