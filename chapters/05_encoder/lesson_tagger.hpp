#pragma once

#include "05_encoder/lesson.hpp"

namespace xf::lesson_05 {

// Predicts one word for every position of the input.
struct Tagger {
  static constexpr int heads = 2;
  TokenEmbedding table;
  Encoder encoder;
  Linear output;  // (V, D)

  explicit Tagger(Random& random)
      : table(static_cast<int>(vocabulary.size()), 32, random),
        encoder(1, {.d_model = 32, .d_ff = 64, .heads = heads, .norm = NormOrder::pre}, random),
        output(32, static_cast<int>(vocabulary.size()), random) {}

  // ids: (B, S)   returns logits (B, S, V)
  Tensor operator()(const Ids& ids) const {
    return output(encoder(embedded(ids, table), padding_mask(ids, pad)));
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("table", table);
    v("encoder", encoder);
    v("output", output);
  }
};

// The attention weights of its only layer, (1, H, S, S).
inline Tensor weights_of(const Tagger& model, const Ids& sentence) {
  Recorder recorder({"weights"});
  model(sentence);
  return recorder.of("layers.0.self_attention.weights");
}

}  // namespace xf::lesson_05
