#pragma once

#include <cstdint>

#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "05_encoder/encoder.hpp"
#include "support/kit.hpp"

namespace xf::exercise {

struct LanguageModelSizes {
  int vocabulary, d_model, d_ff, heads, layers;
};

// The parts, each a chapter's. The table of the embedding is the matrix of the output, too.
struct LanguageModel {
  TokenEmbedding embedding;  // (V, D), chapter 1
  Encoder layers;            // chapters 2 to 5; pre-norm, and one more norm at the end
  Tensor bias;               // (V), of the output

  LanguageModel(const LanguageModelSizes& sizes, Random& random)
      : embedding(sizes.vocabulary, sizes.d_model, random),
        layers(sizes.layers,
               LayerSizes{.d_model = sizes.d_model,
                          .d_ff = sizes.d_ff,
                          .heads = sizes.heads,
                          .norm = NormOrder::pre},
               random),
        bias(parameter(Tensor::zeros({sizes.vocabulary}))) {}

  template <class Visitor>
  void visit(Visitor&& v) {
    v("embedding", embedding);
    v("layers", layers);
    v("bias", bias);
  }
};

// The scores of the next token at every position, from this token and those before it:
//   h = layers(sqrt(D) E[ids] + PE, causal),   logits = h E^T + b
//   ids: (B, T)   returns (B, T, V)
Tensor logits(const LanguageModel& model, const Ids& ids);

// The mean of -log p(token) over all tokens but the first of each row.
//   tokens: (B, T + 1)   returns a scalar
Tensor loss(const LanguageModel& model, const Ids& tokens);

// The d_ff with which a model of these sizes (whose own d_ff does not count) comes nearest to so
// many parameters; at least 1.
int hidden_units(const LanguageModelSizes& sizes, std::int64_t parameters);

}  // namespace xf::exercise
