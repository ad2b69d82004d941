#pragma once

#include <variant>

#include "01_embedding/token_embedding.hpp"
#include "08_transformer_xl/adaptive_softmax.hpp"
#include "08_transformer_xl/lstm.hpp"
#include "08_transformer_xl/transformer_xl.hpp"
#include "08_transformer_xl/vanilla.hpp"
#include "08_transformer_xl/word_dropout.hpp"
#include "nn/parameters.hpp"

namespace xf {

// Draws all parameters as the published code does: weights, u and v from normal(0, 0.02), gammas
// from normal(1, 0.02), biases and betas 0.
template <class Model>
void draw_as_published(Model& model, Random& random) {
  for (const NamedParameter& p : parameters(model)) {
    const bool zero = p.name.ends_with("bias") || p.name.ends_with("beta");
    const double mean = p.name.ends_with("gamma") ? 1 : 0, deviation = zero ? 0 : 0.02;
    replace_each(*p.tensor, [&](float) { return mean + deviation * random.normal(); });
  }
}

// A language model that reads a text segment by segment: token t's state predicts token t + 1.
//   h^0 = sqrt(D) E[ids],   h^N = stack(h^0, memory),   logits = h^N E^T + b     Dai et al. 2019
// The kinds differ in the stack alone: what its layers see of the segments before, and where the
// positions come in.
struct SegmentModel {
  TransformerXlConfig config;  // its lengths may be changed: they touch no parameter
  TokenEmbedding embedding;    // (V, D)
  std::variant<TransformerXl, Vanilla, Lstm> stack;
  AdaptiveSoftmax output;       // (V, D), the embedding table when tied
  float embedding_dropout = 0;  // of whole words; what trains the model may set it

  // Throws UserError for a config that makes no model.
  SegmentModel(const TransformerXlConfig& settings, Random& random)
      : config(checked(settings)),
        embedding(config.vocabulary, config.d_model, random),
        stack(stack_of(config, random)),
        output(config.vocabulary, config.d_model, cutoff_list(config.cutoffs, config.vocabulary),
               random) {
    if (config.tied) output.weight = embedding.weight;
    if (config.kind != ModelKind::lstm) draw_as_published(*this, random);
  }

  // The memory at the start of a text: for an LSTM, one state a layer.
  Memory start() const {
    const bool state = config.kind == ModelKind::lstm;
    return {.memory_length = state ? 1 : config.memory, .extended_length = config.extended};
  }
  // The width of what is remembered per layer: inputs, or for an LSTM what it shows and its cells.
  int memory_width() const {
    return config.kind == ModelKind::lstm ? config.d_model + config.d_ff : config.d_model;
  }
  KeyMemory start_keys() const {
    return {.memory_length = config.memory, .extended_length = config.extended};
  }

  // The last layer's states, and the memory moves on by this segment.
  //   ids: (B, T)   returns (B, T, D)
  // Throws std::invalid_argument when the memory is another batch's.
  Tensor hidden(const Ids& ids, Memory& memory) const {
    check(ids, memory);
    const auto rate = static_cast<float>(config.dropout);
    return std::visit(
        [&](const auto& layers) {
          const auto seen = layers.view(memory.lengths(ids.size(1)));
          const Tensor x = dropout(layers.placed(embed(ids)), rate);  // (B, T, D)
          return dropout(layers(x, memory, seen), rate);              // (B, T, D)
        },
        stack);
  }
  // The same numbers, for a model that is not being trained: a TransformerXl.
  Tensor hidden(const Ids& ids, KeyMemory& memory) const {
    return std::get<TransformerXl>(stack)(embedding(ids), memory);
  }

  // ids: (B, T)   returns logits (B, T, V); with cutoffs log p, see AdaptiveSoftmax::logits
  template <class EitherMemory>
  Tensor operator()(const Ids& ids, EitherMemory& memory) const {
    return output.logits(hidden(ids, memory));
  }

  // The mean of -log p(expected). The repeated tokens at the segment's beginning are context
  // only: `expected` belongs to the last positions.
  //   ids: (B, T)   expected: (B, T') with T' <= T   returns a scalar
  Tensor loss(const Ids& ids, const Ids& expected, Memory& memory,
              const CrossEntropyOptions& options = {}) const {
    const Tensor h = hidden(ids, memory);
    const int wanted = expected.size(1);
    return output.loss(slice(h, 1, ids.size(1) - wanted, wanted), expected, options);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("embedding", embedding);
    std::visit([&](auto& layers) { layers.visit(v); }, stack);
    v("output", output);
  }

 private:
  static std::variant<TransformerXl, Vanilla, Lstm> stack_of(const TransformerXlConfig& config,
                                                             Random& random) {
    if (config.kind == ModelKind::transformer_xl) return TransformerXl(config, random);
    if (config.kind == ModelKind::lstm) return Lstm(config, random);
    return Vanilla(config, random);
  }

  // ids: (B, T)   returns (B, T, D)
  Tensor embed(const Ids& ids) const {
    return drop_words(embedding(ids), ids, config.vocabulary, embedding_dropout);
  }

  void check(const Ids& ids, const Memory& memory) const {
    if (memory.present_length() == 0) return;
    const Shape& past = memory.states[0].shape();
    if (memory.states.size() != static_cast<std::size_t>(config.layers) || past[0] != ids.size(0) ||
        past[2] != memory_width())
      throw std::invalid_argument("segment_model: the memory has " +
                                  std::to_string(memory.states.size()) + " layers of " +
                                  past.str() + ", the model " + std::to_string(config.layers) +
                                  ", the ids are " + ids.shape().str());
  }
};

// The config of a model of c's kind with as many parameters as Transformer-XL has with `c`.
inline TransformerXlConfig equal_parameters(const TransformerXlConfig& c) {
  return c.kind == ModelKind::lstm ? lstm_equal(c) : vanilla_equal(c);
}

}  // namespace xf
