#include "support/test.hpp"
#include "06_decoder/decoder_layer.hpp"
#include "exercise.hpp"

using namespace xf;

// B = 2, T = 3, S = 5, D = 4, H = 2; the second source ends in two places of padding, the second
// target in one.
namespace {

// Copies, and not the layer's own members: around those stands the whole layer.
struct Parts {
  MultiHeadAttention self, cross;
  LayerNorm self_norm, cross_norm, feed_forward_norm;
  FeedForward feed_forward;

  explicit Parts(const DecoderLayer& layer)
      : self(layer.self_attention),
        cross(layer.cross_attention),
        self_norm(layer.self_attention_norm),
        cross_norm(layer.cross_attention_norm),
        feed_forward_norm(layer.feed_forward_norm),
        feed_forward(layer.feed_forward) {}
  operator exercise::DecoderParts() const {
    return {self, self_norm, cross, cross_norm, feed_forward, feed_forward_norm};
  }
};

struct Example {
  Random random{71};
  DecoderLayer layer = made(), upper = made();
  LayerNorm last{4};
  Tensor x = parameter(exercise::random({2, 3, 4}, 72, 2.0f));
  Tensor encoded = parameter(exercise::random({2, 5, 4}, 73));
  Mask self_mask = combine(causal_mask(3, 3),
                           padding_mask(exercise::given(Ids{{2, 3}, {1, 4, 5, 1, 6, 0}}, 7, 0), 0));
  Mask source_mask =
      padding_mask(exercise::given(Ids{{2, 5}, {4, 5, 6, 7, 2, 4, 9, 2, 0, 0}}, 9, 0), 0);

  Example() {  // fresh norms are all alike
    layer.self_attention_norm.gamma = exercise::random({4}, 74);
    layer.cross_attention_norm.gamma = exercise::random({4}, 75);
    layer.feed_forward_norm.gamma = exercise::random({4}, 76);
    layer.cross_attention_norm.beta = exercise::random({4}, 77);
    upper.cross_attention_norm.gamma = exercise::random({4}, 80);
    last.gamma = exercise::random({4}, 81);
  }
  DecoderLayer made() {
    return {{.d_model = 4, .d_ff = 7, .heads = 2, .norm = NormOrder::pre}, random};
  }
  Tensor one(const DecoderLayer& of, const Tensor& words) const {
    return of(words, encoded, self_mask, source_mask);
  }
  Tensor wanted() const { return one(layer, x); }
  Tensor stacked(int layers) const {
    Tensor words = x;
    for (int i = 0; i < layers; ++i) words = one(i % 2 == 0 ? layer : upper, words);
    return last(words);
  }
  Tensor own(const Tensor& words) const {
    return exercise::decoder_layer(Parts(layer), words, encoded, self_mask, source_mask);
  }
  Tensor own_stack(int layers) const {
    const Parts lower(layer), higher(upper);
    std::vector<exercise::DecoderParts> parts;
    for (int i = 0; i < layers; ++i) parts.push_back(i % 2 == 0 ? lower : higher);
    return exercise::decoder(parts, last, x, encoded, self_mask, source_mask);
  }
};

}  // namespace

TEST_CASE("three residual blocks, each attention with its own mask") {
  const Example example;
  COMPARE("decoder_layer(x, encoded)", example.wanted(), example.own(example.x));
}

TEST_CASE("a later word changes nothing before it") {
  const Example example;
  const Tensor changed = concat(slice(example.x, 1, 0, 2), exercise::random({2, 1, 4}, 78), 1);
  COMPARE("positions 0 and 1, when position 2 is another word", slice(example.wanted(), 1, 0, 2),
          slice(example.own(changed), 1, 0, 2));
}

TEST_CASE("the gradient reaches the encoder through its output, and the words through x") {
  const Example example;
  const Tensor weights = exercise::random({2, 3, 4}, 79);
  const auto wanted = [&] {
    Tape tape;
    return tape.backward(weighted_sum(example.wanted(), weights));
  };
  const auto own = [&] {
    Tape tape;
    return tape.backward(weighted_sum(example.own(example.x), weights));
  };
  COMPARE_GRADIENT("dencoded", wanted().of(example.encoded), own().of(example.encoded));
  COMPARE_GRADIENT("dx", wanted().of(example.x), own().of(example.x));
}

TEST_CASE("the layers, one after the other, and the last norm") {
  const Example example;
  COMPARE("decoder of 1 layer", example.stacked(1), example.own_stack(1));
  COMPARE("decoder of 2 layers", example.stacked(2), example.own_stack(2));
}
