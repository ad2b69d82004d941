#include <algorithm>
#include <map>

#include "09_since_2017/decoder_only.hpp"
#include "09_since_2017/sampling.hpp"
#include "autograd/recorder.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

namespace {

DecoderConfig small_decoder() {
  DecoderConfig config;
  config.vocabulary = 7, config.d_model = 6, config.d_ff = 5, config.layers = 2;
  config.heads = 4, config.key_value_heads = 2, config.d_k = 2;
  config.qkv_bias = config.output_bias = config.feed_forward_bias = true;
  return config;
}

ParameterSource leaves(std::uint64_t seed) {
  return [next = seed * 100](const std::string&, const Shape& shape) mutable {
    return random_leaf(shape, ++next, 0.5);
  };
}

}  // namespace

TEST_CASE("RmsNorm, DecoderNorm: the op of their kind") {
  DecoderConfig config = small_decoder();
  const Tensor x = random_leaf({2, 3, 6}, 1);
  DecoderNorm rms(config, "norm", leaves(1));
  const auto& inner = std::get<RmsNorm>(rms.kind);
  expect_same("rms", rms(x), rms_norm(x, inner.gamma, config.norm_eps));
  config.norm = NormKind::layer_norm;
  DecoderNorm layer(config, "norm", leaves(1));
  CHECK(parameters(layer).size() == 2);
  CHECK(parameters(rms).size() == 1);
}

TEST_CASE("RotaryPositions: worked by hand, and the published ways to stretch them") {
  const RotaryPositions plain(4, 100);  // w = 1, 1/10
  expect_close("turns", plain.turns(2, 1),
               Tensor::from({1, 4}, {-0.4161468f, 0.9800666f, 0.9092974f, 0.1986693f}));
  using Kind = RotaryScaling::Kind;
  const RotaryPositions slow(4, 100, {.kind = Kind::linear, .factor = 4});
  CHECK(slow.frequencies[0] == doctest::Approx(0.25));
  // Within 2 pi 4 positions, w = 1 turns 4 times, 1/10 only 0.4 times, 1/4 once.
  const double length = 8 * std::numbers::pi;
  const RotaryScaling llama3{Kind::llama3, 8, 0.5, 2, length};
  CHECK(RotaryPositions::scaled(1, llama3) == 1);
  CHECK(RotaryPositions::scaled(0.1f, llama3) == doctest::Approx(0.0125));
  // Between them: (1 - 0.5) / (2 - 0.5) = 1/3 of what it was, 2/3 of an eighth of it.
  CHECK(RotaryPositions::scaled(0.25f, llama3) == doctest::Approx(0.25 / 3 + 0.25 / 8 * 2 / 3));
}

TEST_CASE("SwiGlu: worked by hand") {
  DecoderConfig config = small_decoder();
  config.d_model = 1, config.d_ff = 2, config.feed_forward_bias = false;
  const auto source = [](const std::string& name, const Shape& shape) {
    return name.ends_with("w_gate.weight") ? Tensor::from(shape, {1, 0})
                                           : Tensor::from(shape, {3, 5});
  };
  const SwiGlu gated(config, "ffn", source);
  // silu(2) = 1.7615942 passes 3 * 2 of the first feature; silu(0) = 0 nothing of the second.
  expect_close("y", gated(Tensor::from({1, 1, 1}, {2})),
               Tensor::from({1, 1, 1}, {1.7615942f * 6 * 3}));
  config.gated = false, config.activation = relu;
  const SwiGlu plain(config, "ffn", source);
  expect_close("plain", plain(Tensor::from({1, 1, 1}, {2})), Tensor::from({1, 1, 1}, {68}));
}

TEST_CASE("SwiGlu: backward matches finite differences") {
  SwiGlu layer(small_decoder(), "ffn", leaves(3));
  const Tensor x = random_leaf({1, 3, 6}, 4);
  auto inputs = leaves_of(layer);
  inputs.emplace_back("x", x);
  check_gradients("SwiGlu", inputs, [&] { return layer(x); });
}

TEST_CASE("GroupedAttention: each group agrees with the xtensor formula of one head") {
  DecoderConfig config = small_decoder();
  config.qkv_bias = false;
  const GroupedAttention layer(config, "attention", leaves(5), 0);
  const int length = 4;
  const Tensor x = random_leaf({1, length, 6}, 6);
  const Tensor q = linear(x, layer.w_q.weight, {}).view({length, 8});
  const Tensor k = linear(x, layer.w_k.weight, {}).view({length, 4});
  const Tensor v = linear(x, layer.w_v.weight, {}).view({length, 4});
  Tensor joined;
  for (int head = 0; head < 4; ++head) {
    // The last query sees all keys: its row needs no mask.
    const auto of = [&](const Tensor& all, int i) { return slice(all, 1, 2 * i, 2); };
    const Tensor y = xt_reference::attention(slice(of(q, head), 0, length - 1, 1), of(k, head / 2),
                                             of(v, head / 2));
    joined = joined.defined() ? concat(joined, y, 1) : y;
  }
  const Tensor expected = linear(joined, layer.w_o.weight, layer.w_o.bias);
  const Tensor y = layer(x, Tensor());
  expect_close("last row", slice(y, 1, length - 1, 1).view({1, 6}), expected);
}

TEST_CASE("GroupedAttention: no position sees a later one") {
  const GroupedAttention layer(small_decoder(), "attention", leaves(7), 0);
  const Tensor x = random_leaf({2, 5, 6}, 8);
  const Tensor turns = RotaryPositions(2, 10000).turns(0, 5);
  const Tensor part = layer(slice(x, 1, 0, 3), slice(turns, 0, 0, 3));
  expect_close("first three", slice(layer(x, turns), 1, 0, 3), part, 1e-6);
}

namespace {

// The most numbers that one op returned while this watched.
struct LargestResult : TapeObserver {
  std::ptrdiff_t count = 0;

  LargestResult() { tape_observer = this; }
  ~LargestResult() override { tape_observer = nullptr; }
  void begin() override {}
  void forward(const Op&, Tensor& y, std::initializer_list<const Tensor*>) override {
    count = std::max(count, std::ptrdiff_t{y.count()});
  }
  void backward(const Op&, const Tensor&) override {}
};

}  // namespace

TEST_CASE("GroupedAttention: a long text gives the same in stretches, which hold no T x T scores") {
  const GroupedAttention layer(small_decoder(), "attention", leaves(7), 0);
  constexpr int stretch = GroupedAttention::stretch;
  for (const int length : {stretch - 1, stretch, stretch + 1, 3 * stretch + 5}) {
    CAPTURE(length);
    const Tensor x = detach(random_leaf({1, length, 6}, 8));
    const Tensor turns = RotaryPositions(2, 10000).turns(0, length);
    LargestResult in_stretches;
    const Tensor y = layer(x, turns);
    CHECK(in_stretches.count <= std::ptrdiff_t{4} * stretch * length);  // of 4 heads
    Tensor whole;
    {
      Recorder recorder;
      whole = layer(x, turns);
      CHECK(recorder.of("weights").count() == 4 * length * length);
    }
    CHECK(arithmetic() == Arithmetic::same);
    expect_same("y", y, whole);
  }
}

TEST_CASE("GroupedAttention: backward matches finite differences") {
  GroupedAttention layer(small_decoder(), "attention", leaves(9), 0);
  const Tensor x = random_leaf({2, 3, 6}, 10);
  const Tensor turns = RotaryPositions(2, 10000).turns(0, 3);
  auto inputs = leaves_of(layer);
  inputs.emplace_back("x", x);
  check_gradients("GroupedAttention", inputs, [&] { return layer(x, turns); });
}

TEST_CASE("DecoderOnlyLayer, DecoderOnly: backward matches finite differences") {
  for (const bool llama : {true, false}) {
    DecoderConfig config = small_decoder();
    config.layers = 1, config.norm_eps = 0.1f;  // no sharp bends: differences are taken over h
    if (!llama) {
      config.norm = NormKind::layer_norm, config.position = DecoderPositions::learned;
      config.positions = 4, config.gated = false, config.tied = true;
      config.activation = gelu_tanh;
    }
    DecoderOnly model(config, leaves(11));
    check_gradients("DecoderOnly", leaves_of(model), [&] {
      return model.logits(Ids({2, 3}, {1, 4, 2, 6, 0, 1}));
    });
    DecoderOnlyLayer& layer = model.layers[0];
    const Tensor x = random_leaf({1, 2, 6}, 12);
    check_gradients("DecoderOnlyLayer", {{"x", x}}, [&] { return layer(x, Tensor(), nullptr); });
  }
}

TEST_CASE("rest_of: what was read before is not read again, and the logits are those of all") {
  const DecoderOnly model(small_decoder(), leaves(11));
  const auto all_anew = [&](const std::vector<int>& ids) {
    TextSoFar nothing;
    return read_on(model, ids, nothing);
  };
  TextSoFar read;
  const std::vector<int> first = {1, 2, 3, 4}, longer = {1, 2, 3, 4, 5, 6, 0}, other = {1, 2, 6};
  CHECK(rest_of(first, read) == first);
  expect_same("first", read_on(model, first, read), all_anew(first));
  CHECK(rest_of(longer, read) == std::vector{5, 6, 0});
  expect_close("goes on", read_on(model, {5, 6, 0}, read), all_anew(longer), 1e-6);
  CHECK(read.ids == longer);
  CHECK(rest_of(longer, read) == std::vector{0});  // its logits are wanted once more
  expect_close("once more", read_on(model, {0}, read), all_anew(longer), 1e-6);
  CHECK(rest_of(other, read) == std::vector{6});
  expect_close("another end", read_on(model, {6}, read), all_anew(other), 1e-6);
  CHECK(read.cache.front().k.count() == 3);
  CHECK(rest_of({0, 2}, read) == std::vector{0, 2});  // nothing is the same
  expect_same("another text", read_on(model, {0, 2}, read), all_anew({0, 2}));
}

TEST_CASE("generate: a conversation that goes on is read from where the last answer ended") {
  const DecoderOnly model(small_decoder(), leaves(12));
  const auto answer = [&](const std::vector<int>& prompt, TextSoFar& read) {
    Random random(1);
    std::vector<int> said;
    const TokenChoice greedy{.temperature = 0};
    generate(
        model, prompt, 5, greedy, random,
        [&](int id) {
          said.push_back(id);
          return true;
        },
        read);
    return said;
  };
  TextSoFar read;
  std::vector<int> prompt = {3, 1};
  for (int turn = 0; turn < 3; ++turn) {
    TextSoFar nothing;
    const std::size_t before = read.ids.size();
    const std::vector<int> said = answer(prompt, read);
    CHECK(said == answer(prompt, nothing));
    CHECK(read.ids.size() == prompt.size() + 4);  // the last token said was not read
    if (turn > 0) CHECK(prompt.size() - before == 3);
    prompt.insert(prompt.end(), said.begin(), said.end());
    prompt.insert(prompt.end(), {2, 5});
  }
}

TEST_CASE("choices: worked by hand") {
  // p = 1/2, 1/4, 1/8, 1/8.
  const float two = std::log(2.0f);
  const Values logits = Tensor::from({4}, {two, 3 * two, 2 * two, two}).values();
  const auto ids = [&](const TokenChoice& how) { return choices(logits, how).ids; };
  CHECK(ids({}) == std::vector<int>{1, 2, 0, 3});
  CHECK(choices(logits, {}).p[1] == doctest::Approx(0.25));
  CHECK(ids({.temperature = 0}) == std::vector<int>{1});
  CHECK(choices(logits, {.top_k = 2}).p[0] == doctest::Approx(2.0 / 3));
  CHECK(ids({.top_p = 0.49}) == std::vector<int>{1});
  CHECK(ids({.top_p = 0.51}) == std::vector<int>{1, 2});
  CHECK(ids({.top_p = 0}) == std::vector<int>{1});
  CHECK(ids({.top_k = 9}).size() == 4);
  CHECK(choices(logits, {.temperature = 0.5}).p[0] == doctest::Approx(16.0 / 22));
}

TEST_CASE("chosen: as often as the probabilities say, and the same with the same seed") {
  const Choices from{{5, 3, 8}, {0.5, 0.3, 0.2}};
  Random random(1);
  std::map<int, int> count;
  const int draws = 10000;
  for (int i = 0; i < draws; ++i) ++count[chosen(from, random)];
  for (std::size_t i = 0; i < 3; ++i) {  // within five standard deviations
    const double p = from.p[i], deviation = std::sqrt(p * (1 - p) * draws);
    CHECK(std::abs(count[from.ids[i]] - p * draws) < 5 * deviation);
  }
}

}  // namespace xf::test
