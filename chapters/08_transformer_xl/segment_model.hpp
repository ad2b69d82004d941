#pragma once

#include "01_embedding/token_embedding.hpp"
#include "08_transformer_xl/adaptive_softmax.hpp"
#include "08_transformer_xl/transformer_xl.hpp"
#include "08_transformer_xl/word_dropout.hpp"
#include "nn/parameters.hpp"

namespace xf {

// Draws all parameters as the published code does: weights, u and v from normal(0, 0.02), gammas
// from normal(1, 0.02), projections from normal(0, 0.01), biases and betas 0.
template <class Model>
void draw_as_published(Model& model, Random& random) {
  for (const NamedParameter& p : parameters(model)) {
    const bool zero = p.name.ends_with("bias") || p.name.ends_with("beta");
    const bool projection = p.name.find("projections.") != p.name.npos;
    const double mean = p.name.ends_with("gamma") ? 1 : 0;
    const double deviation = zero ? 0 : projection ? 0.01 : 0.02;
    replace_each(*p.tensor, [&](float) { return mean + deviation * random.normal(); });
  }
}

// A language model that reads a text segment by segment: token t's state predicts token t + 1.
//   h^0 = sqrt(D) E[ids],   h^N = stack(h^0, memory),   logits = h^N E^T + b     Dai et al. 2019
// The stack is a parameter: the models for comparison have other stacks (baselines/).
template <class Layers = TransformerXl>
struct SegmentModel {
  TransformerXlConfig config;  // its lengths may be changed: no parameter depends on them
  TokenEmbedding embedding;    // (V, D)
  NarrowWords narrow;          // none, unless d_embed or div_val is set (narrow_words.hpp)
  Layers stack;
  AdaptiveSoftmax output;       // (V, D), the embedding table when tied
  float embedding_dropout = 0;  // drops whole words; set by the training

  // Throws UserError for an invalid config.
  SegmentModel(const TransformerXlConfig& settings, Random& random)
      : config(checked(settings)),
        embedding(words_of_table(config), word_widths(config)[0], random),
        narrow(words_of_input(config, random)),
        stack(config, random),
        output(words_of_table(config), word_widths(config)[0],
               cutoff_list(config.cutoffs, config.vocabulary), random) {
    output.bias = constant({config.vocabulary}, 0);
    output.narrow = words_of_output(config, narrow, random);
    if (config.tied) output.weight = embedding.weight;
    if (config.kind != ModelKind::lstm) draw_as_published(*this, random);
  }

  // The memory at the start of a text; of keys if the model is used only for inference.
  Memory start(Remembered what = Remembered::states) const { return Layers::start(config, what); }

  // The last layer's states; the memory advances by this segment.
  //   ids: (B, T)   returns (B, T, D)
  // Throws std::invalid_argument when the memory belongs to another batch.
  Tensor hidden(const Ids& ids, Memory& memory) const {
    check(ids, memory);
    const Tensor words = drop_words(embed(ids), ids, config.vocabulary, embedding_dropout);
    return dropout(stack(words, memory), static_cast<float>(config.dropout));  // (B, T, D)
  }

  // ids: (B, T)   returns logits (B, T, V); with cutoffs log p, see AdaptiveSoftmax::logits
  Tensor operator()(const Ids& ids, Memory& memory) const {
    return output.logits(hidden(ids, memory));
  }

  // The mean of -log p(expected). The repeated tokens at the segment's beginning are only
  // context: `expected` belongs to the last positions.
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
    v("narrow", narrow);
    stack.visit(v);
    v("output", output);
  }

 private:
  // h^0.   returns (B, T, D)
  Tensor embed(const Ids& ids) const {
    return narrow.projections.empty() ? embedding(ids) : narrow.embed(ids, embedding.weight);
  }

  void check(const Ids& ids, const Memory& memory) const {
    if (memory.present_length() == 0) return;
    const Tensor &states = memory.layers[0].states, &keys = memory.layers[0].keys.k;
    const Shape& past = keys.defined() ? keys.shape() : states.shape();
    const bool fits = keys.defined() ? past[1] * past[3] == config.heads * config.head_size()
                                     : past[2] == Layers::memory_width(config);
    if (memory.layers.size() != static_cast<std::size_t>(config.layers) || past[0] != ids.size(0) ||
        !fits)
      throw std::invalid_argument("segment_model: the memory has " +
                                  std::to_string(memory.layers.size()) + " layers of " +
                                  past.str() + ", the model " + std::to_string(config.layers) +
                                  ", the ids are " + ids.shape().str());
  }
};

}  // namespace xf
