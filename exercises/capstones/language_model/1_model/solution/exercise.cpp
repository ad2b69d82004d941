#include "exercise.hpp"

namespace xf::exercise {

Tensor logits(const LanguageModel& model, const Ids& ids) {
  const int length = ids.size(1);
  const Tensor x = add_positions(model.embedding(ids));           // (B, T, D)
  const Tensor h = model.layers(x, causal_mask(length, length));  // (B, T, D)
  return linear(h, model.embedding.weight, model.bias);           // (B, T, V)
}

Tensor loss(const LanguageModel& model, const Ids& tokens) {
  const int batch = tokens.size(0), length = tokens.size(1) - 1;
  Ids inputs = Ids::full({batch, length}, 0), targets = Ids::full({batch, length}, 0);
  for (int b = 0; b < batch; ++b)
    for (int t = 0; t < length; ++t) {
      inputs[b * length + t] = tokens.at(b, t);
      targets[b * length + t] = tokens.at(b, t + 1);
    }
  return cross_entropy(logits(model, inputs), targets);
}

int hidden_units(const LanguageModelSizes& sizes, std::int64_t parameters) {
  const double v = sizes.vocabulary, d = sizes.d_model, n = sizes.layers;
  const double attention = 4 * d * d + 4 * d, norms = 4 * d;
  const double fixed = v * d + v + n * (attention + norms + d) + 2 * d;
  const double each = n * (2 * d + 1);  // of one hidden unit in every layer
  return std::max(1, static_cast<int>(std::lround((double(parameters) - fixed) / each)));
}

}  // namespace xf::exercise
