#include "support/test.hpp"
#include "06_decoder/decoder_layer.hpp"
#include "exercise.hpp"

#include <deque>

using namespace xf;

// B = 2, T = 3, S = 5, D = 4, H = 2; the second source ends in two places of padding, the second
// target in one. With XF_SALT, other B, T and S.
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
  int batch = exercise::given(2), t = exercise::given(3, 3, 8), s = exercise::given(5, 4, 11);
  Random random{71};
  int layers = exercise::given(2, 3, 5);
  DecoderLayer layer = made();
  std::vector<DecoderLayer> above;  // all but the first
  LayerNorm last{4};
  Tensor x = parameter(exercise::random({batch, t, 4}, 72, 2.0f));
  Tensor encoded = parameter(exercise::random({batch, s, 4}, 73));
  Mask self_mask = combine(causal_mask(t, t), readable({{2, 3}, {1, 4, 5, 1, 6, 0}}, t, 7));
  Mask source_mask = readable({{2, 5}, {4, 5, 6, 7, 2, 4, 9, 2, 0, 0}}, s, 9);

  Example() {  // fresh norms are all alike
    layer.self_attention_norm.gamma = exercise::random({4}, 74);
    layer.cross_attention_norm.gamma = exercise::random({4}, 75);
    layer.feed_forward_norm.gamma = exercise::random({4}, 76);
    layer.self_attention_norm.beta = exercise::random({4}, 86);
    layer.cross_attention_norm.beta = exercise::random({4}, 77);
    layer.feed_forward_norm.beta = exercise::random({4}, 87);
    for (std::uint64_t i = 0; i + 1 < std::uint64_t(layers); ++i) {
      DecoderLayer& next = above.emplace_back(made());
      std::uint64_t seed = 200 + 10 * i;
      for (LayerNorm* norm :
           {&next.self_attention_norm, &next.cross_attention_norm, &next.feed_forward_norm}) {
        norm->gamma = exercise::random({4}, ++seed);
        norm->beta = exercise::random({4}, ++seed);
      }
    }
    last.gamma = exercise::random({4}, 81);
    last.beta = exercise::random({4}, 88);
  }
  DecoderLayer made() {
    return {{.d_model = 4, .d_ff = 7, .heads = 2, .norm = NormOrder::pre}, random};
  }
  Mask readable(const Ids& usual, int length, int words) const {
    const bool fresh = exercise::salted(0) != 0;
    return padding_mask(exercise::given(fresh ? Ids::full({batch, length}, 1) : usual, words, 0),
                        0);
  }
  const DecoderLayer& number(int i) const { return i == 0 ? layer : above[std::size_t(i - 1)]; }
  Tensor one(const DecoderLayer& of, const Tensor& words) const {
    return of(words, encoded, self_mask, source_mask);
  }
  Tensor wanted() const { return one(layer, x); }
  Tensor stacked(int count) const {
    Tensor words = x;
    for (int i = 0; i < count; ++i) words = one(number(i), words);
    return last(words);
  }
  Tensor own(const Tensor& words) const {
    return exercise::decoder_layer(Parts(layer), words, encoded, self_mask, source_mask);
  }
  Tensor own_stack(int count) const {
    std::deque<Parts> copies;
    std::vector<exercise::DecoderParts> parts;
    for (int i = 0; i < count; ++i) parts.push_back(copies.emplace_back(number(i)));
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
  const int before = example.t - 1;
  const Tensor another = exercise::random({example.batch, 1, 4}, 78);
  const Tensor changed = concat(slice(example.x, 1, 0, before), another, 1);
  COMPARE("positions 0 and 1, when position 2 is another word",
          slice(example.wanted(), 1, 0, before), slice(example.own(changed), 1, 0, before));
}

TEST_CASE("the gradient reaches the encoder through its output, and the words through x") {
  const Example example;
  const Tensor weights = exercise::random(example.x.shape(), 79);
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
  COMPARE("decoder of 2 layers", example.stacked(example.layers),
          example.own_stack(example.layers));
  // Of 2 layers always: rounding grows from layer to layer, in gradients more than in words.
  const Tensor weights = exercise::random(example.x.shape(), 89);
  const auto wanted = [&] {
    Tape tape;
    return tape.backward(weighted_sum(example.stacked(2), weights));
  };
  const auto own = [&] {
    Tape tape;
    return tape.backward(weighted_sum(example.own_stack(2), weights));
  };
  COMPARE_GRADIENT("dencoded of 2 layers", wanted().of(example.encoded), own().of(example.encoded));
  COMPARE_GRADIENT("dx of 2 layers", wanted().of(example.x), own().of(example.x));
  const Tensor& lowest = example.layer.self_attention.w_q.weight;
  COMPARE_GRADIENT("dW_q of the lowest layer", wanted().of(lowest), own().of(lowest));
}
