// en: the encoder was given a causal mask, with the padding mask or in place of it: it reads the
//     whole source, only the padding is hidden
// zh: 编码器用了因果掩码（连同填充掩码，或代替了它）：它读整个源句，只屏蔽填充

#include "exercise.hpp"

namespace xf::exercise {

static Tensor embed(const Ids& ids, const Tensor& table) {
  const float root_d = std::sqrt(static_cast<float>(table.size(1)));
  return root_d * embedding(ids, table) + sinusoidal_positions(ids.size(1), table.size(1));
}

Tensor logits(const ModelParts& model, const Ids& source, const Ids& target) {
  const Mask readable = padding_mask(source, 0);
  const Mask past = combine(causal_mask(source.size(1), source.size(1)), readable);
  const Tensor memory = model.encoder(embed(source, model.source_table), past);  // (B, S, D)
  const int t = target.size(1);
  const Tensor x = model.decoder(embed(target, model.target_table), memory, causal_mask(t, t),
                                 readable);  // (B, T, D)
  return linear(x, model.target_table, {});  // (B, T, Vt)
}

}  // namespace xf::exercise
