// en: two mistakes: the factor was made of V instead of D, and the causal mask is missing
// zh: 两处错：因子用了词表大小 V 而不是 D，并且漏了因果掩码

#include "exercise.hpp"

namespace xf::exercise {

static Tensor embed(const Ids& ids, const Tensor& table) {
  const float root_d = std::sqrt(static_cast<float>(table.size(0)));
  return root_d * embedding(ids, table) + sinusoidal_positions(ids.size(1), table.size(1));
}

Tensor logits(const ModelParts& model, const Ids& source, const Ids& target) {
  const Mask readable = padding_mask(source, 0);
  const Tensor memory = model.encoder(embed(source, model.source_table), readable);  // (B, S, D)
  const int t = target.size(1);
  const Tensor x = model.decoder(embed(target, model.target_table), memory, {},
                                 readable);  // (B, T, D)
  return linear(x, model.target_table, {});  // (B, T, Vt)
}

}  // namespace xf::exercise
