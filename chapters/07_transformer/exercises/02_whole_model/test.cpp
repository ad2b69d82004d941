#include "support/test.hpp"
#include "07_transformer/transformer.hpp"
#include "exercise.hpp"

namespace xf {

// The chapter's own checks what a user typed; here there is one model.
LayerSizes layer_sizes(const TransformerConfig& config) {
  return {.d_model = config.d_model, .d_ff = config.d_ff, .heads = config.heads};
}

}  // namespace xf

using namespace xf;

// B = 2, S = 5, T = 4, D = 6 unless said otherwise, H = 2, Vs = 9, Vt = 8; the second source ends
// in padding. With XF_SALT, other sizes.
namespace {

struct Example {
  int d_model = 6;
  int batch = exercise::given(2), s = exercise::given(5, 4, 12), t = exercise::given(4, 3, 11);
  int source_words = exercise::given(9, 9, 20), target_words = exercise::given(8, 8, 20);
  TransformerConfig config{.source_vocabulary = source_words,
                           .target_vocabulary = target_words,
                           .d_model = d_model,
                           .d_ff = 10,
                           .heads = 2,
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .dropout = 0,
                           .tied_output = true,
                           .output_bias = false};
  Random random{exercise::salted(101)};
  Transformer model{config, random};
  Ids source = ids({{2, 5}, {4, 1, 5, 7, 2, 6, 4, 2, 0, 0}}, s, source_words, 0);
  Ids target = ids({{2, 4}, {0, 4, 6, 3, 0, 5, 5, 2}}, t, target_words - 1);

  explicit Example(int width = 6) : d_model(width) {
    for (std::int32_t& id : target) ++id;  // of 1 to 7, for 0 is padding
  }
  // These; with XF_SALT, others, of this length.
  Ids ids(const Ids& usual, int length, int words, int padding = -1) const {
    const bool fresh = exercise::salted(0) != 0;
    return exercise::given(fresh ? Ids::full({batch, length}, 1) : usual, words, padding);
  }
  Tensor wanted(const Ids& read) const { return model(read, target); }
  Tensor own(const Ids& read) const {
    // Copies, and not the model's own members: around those stands the whole model.
    const Decoder decoder = model.decoder;
    const Encoder encoder = model.encoder;
    return exercise::logits(
        {model.source_embedding.weight, model.target_embedding.weight, encoder, decoder}, read,
        target);
  }
};

}  // namespace

TEST_CASE("the logits are those of the chapter's model") {
  const Example example;
  const Ids square =
      example.ids({{2, 4}, {4, 1, 5, 7, 6, 4, 2, 0}}, example.t, example.source_words, 0);
  COMPARE("logits, S = T", example.wanted(square), example.own(square));
  COMPARE("logits", example.wanted(example.source), example.own(example.source));
  const Example wider{2 * exercise::given(5, 4, 9)};
  COMPARE("logits, D = 10", wider.wanted(wider.source), wider.own(wider.source));
}

TEST_CASE("the padding of the source is never read") {
  const Example example;
  const int words = exercise::given(3), length = words + exercise::given(2);
  Ids full = example.ids({{2, 3}, {3, 7, 1, 5, 3, 1}}, words, example.source_words - 1);
  for (std::int32_t& id : full) ++id;  // 0 is padding
  Ids padded = Ids::full({example.batch, length}, 0);
  for (int b = 0; b < example.batch; ++b)
    std::copy_n(full.begin() + b * words, words, padded.begin() + b * length);
  COMPARE("logits, when the source is padded", example.wanted(full), example.own(padded));
}

TEST_CASE("both tables learn, the tied one as embedding and as output") {
  const Example example;
  const Tensor source = example.model.source_embedding.weight;
  const Tensor target = example.model.target_embedding.weight;
  const Tensor weights = exercise::random({example.batch, example.t, example.target_words}, 102);
  const auto wanted = [&] {
    Tape tape;
    return tape.backward(weighted_sum(example.wanted(example.source), weights));
  };
  const auto own = [&] {
    Tape tape;
    return tape.backward(weighted_sum(example.own(example.source), weights));
  };
  COMPARE_GRADIENT("dtarget_table", wanted().of(target), own().of(target));
  COMPARE_GRADIENT("dsource_table", wanted().of(source), own().of(source));
}
