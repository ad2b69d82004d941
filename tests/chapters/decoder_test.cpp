#include "06_decoder/decoder.hpp"

#include "ops/shape/shape_ops.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/layer_variants.hpp"

namespace xf::test {

namespace {

const Mask source_mask{Ids({2, 1, 4}, {1, 1, 1, 1, 1, 1, 0, 0})};

}  // namespace

TEST_CASE("decoder layer and decoder: forward and every named gradient agree with PyTorch") {
  for (const LayerVariant& v : layer_variants) {
    Random random(1);
    DecoderLayer layer(sizes_of(v), random);
    Decoder decoder(2, sizes_of(v), random);
    const std::string one = std::string("decoder_layer.") + v.name;
    const std::string stack = std::string("decoder.") + v.name;
    const Mask self{layers_golden().ids(one + "/mask")};
    const Mask cross{layers_golden().ids(one + "/memory_mask")};
    check_layer(one, {"x", "memory"}, parameters(layer),
                [&](const Inputs& in) { return layer(in[0], in[1], self, cross); });
    check_layer(stack, {"x", "memory"}, parameters(decoder),
                [&](const Inputs& in) { return decoder(in[0], in[1], self, cross); });
  }
}

TEST_CASE("decoder layer: backward matches finite differences, dropout included") {
  for (NormOrder norm : {NormOrder::post, NormOrder::pre}) {
    Random random(1);
    DecoderLayer layer({.d_model = 4,
                        .d_ff = 6,
                        .heads = 2,
                        .dropout = 0.2f,
                        .norm = norm,
                        .activation = Activation::gelu},
                       random);
    auto leaves = random_parameters(layer, 2);
    const Tensor x = random_leaf({2, 3, 4}, 3), encoded = random_leaf({2, 4, 4}, 4);
    leaves.emplace_back("x", x);
    leaves.emplace_back("memory", encoded);
    const auto y = [&] {
      const Training training(5);
      return layer(x, encoded, causal_mask(3, 3), source_mask);
    };
    check_gradients("decoder_layer", leaves, y, {.h = 1.0 / 64});  // post-norm bends quickly
  }
}

TEST_CASE("decoder: changing the future leaves the past bit for bit as it was") {
  for (const LayerVariant& v : layer_variants) {
    const auto decoder = drawn<Decoder>(6, 2, sizes_of(v));
    const Tensor x = random_leaf({2, 5, 6}, 7), encoded = random_leaf({2, 4, 6}, 8);
    const Tensor y = decoder(x, encoded, causal_mask(5, 5), source_mask);
    for (int t = 0; t < 5; ++t) {  // change everything from position t on
      Tensor other = x.clone();
      for (int b = 0; b < 2; ++b)
        for (int i = t * 6; i < 5 * 6; ++i)
          copy_into(other, {other.values()[b * 30 + i] * (i % 2 ? 3.0f : -1.0f)}, b * 30 + i);
      const Tensor z = decoder(other, encoded, causal_mask(5, 5), source_mask);
      expect_same("past", slice(z, 1, 0, t), slice(y, 1, 0, t));
      CHECK(difference("future", slice(z, 1, t, 1), slice(y, 1, t, 1), 1e-3) != "");
    }
  }
}

TEST_CASE("decoder: no gradient flows from the past to the future") {
  const auto decoder = drawn<Decoder>(9, 2, sizes_of(layer_variants[0]));
  const Tensor x = random_leaf({1, 5, 6}, 10), encoded = random_leaf({1, 4, 6}, 11);
  Tape tape;
  const Tensor y = decoder(x, encoded, causal_mask(5, 5), {});
  const Tensor third = slice(y, 1, 2, 1);
  const Gradients gradients =
      tape.backward(weighted_sum(third, detach(random_leaf(third.shape(), 12))));
  const Tensor& dx = gradients.of(x);
  for (int i = 0; i < 5 * 6; ++i) CHECK((dx.values()[i] != 0) == (i < 3 * 6));
}

TEST_CASE("decoder: masked encoded does not leak in") {
  const auto decoder = drawn<Decoder>(13, 2, sizes_of(layer_variants[1]));
  const Tensor x = random_leaf({2, 3, 6}, 14), encoded = random_leaf({2, 4, 6}, 15);
  Tensor poisoned = encoded.clone();
  for (int i = 24 + 2 * 6; i < 48; ++i)
    copy_into(poisoned, {-1e4f}, i);  // the padding of sentence 2
  const Mask causal = causal_mask(3, 3);
  expect_same("y", decoder(x, poisoned, causal, source_mask),
              decoder(x, encoded, causal, source_mask));
}

TEST_CASE("decoder: steps with the cache equal the full recomputation") {
  for (const LayerVariant& v : layer_variants) {
    const auto decoder = drawn<Decoder>(16, 3, sizes_of(v));
    const Tensor x = random_leaf({2, 5, 6}, 17), encoded = random_leaf({2, 4, 6}, 18);
    const Tensor y = decoder(x, encoded, causal_mask(5, 5), source_mask);
    DecoderCache cache = decoder.start(encoded, source_mask);
    for (int t = 0; t < 5; ++t) {
      CHECK(cache.length() == t);
      const Tensor step = decoder(slice(x, 1, t, 1), cache);
      expect_close("step " + std::to_string(t), step, slice(y, 1, t, 1), 2e-6);
    }
    CHECK(cache.past.layers[0].k.shape() == Shape{2 * 5, 6});
    CHECK(cache.source.layers[2].v.shape() == Shape{2 * 4, 6});
  }
}

TEST_CASE("decoder: sentences that go on from chosen ones equal the full recomputation") {
  const auto decoder = drawn<Decoder>(23, 2, sizes_of(layer_variants[0]));
  const Tensor encoded = random_leaf({2, 4, 6}, 24), first = random_leaf({2, 2, 6}, 25);
  const Tensor second = random_leaf({3, 2, 6}, 26);
  const std::vector<int> parents = {1, 0, 1};
  DecoderCache cache = decoder.start(encoded, source_mask);
  for (int t = 0; t < 2; ++t) decoder(slice(first, 1, t, 1), cache);
  cache.select(parents);
  const Ids mask({3, 1, 4}, {1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0});  // source_mask, rows 1 0 1
  const Tensor y = decoder(concat(gather_rows(first, parents), second, 1),
                           gather_rows(encoded, parents), causal_mask(4, 4), {mask});
  for (int t = 0; t < 2; ++t) {
    const Tensor step = decoder(slice(second, 1, t, 1), cache);
    expect_close("step after the choice", step, slice(y, 1, 2 + t, 1), 2e-6);
  }
}

TEST_CASE("decoder: rows that no sentence sees are dropped, and the steps go on as before") {
  const auto decoder = drawn<Decoder>(23, 2, sizes_of(layer_variants[1]));
  const Tensor encoded = random_leaf({2, 4, 6}, 24), x = random_leaf({3, 4, 6}, 25);
  DecoderCache cache = decoder.start(encoded, source_mask);
  cache.past.make_room(16, 6);
  for (int t = 0; t < 2; ++t) decoder(slice(slice(x, 0, 0, 2), 1, t, 1), cache);
  cache.select({1, 1, 1});  // sentence 0 is given up
  DecoderCache smaller = cache;
  CHECK(smaller.past.drop_unseen() == 2);
  CHECK(smaller.past.row_count() == 2);
  CHECK(smaller.past.room() == 16);
  CHECK(cache.past.row_count() == 4);
  for (int t = 2; t < 4; ++t) {
    const Tensor one = slice(x, 1, t, 1);
    expect_same("step", decoder(one, smaller), decoder(one, cache));
  }
  smaller.select({});
  CHECK(smaller.past.drop_unseen() == 0);
}

TEST_CASE("decoder: weights of every layer are causal and sum to one") {
  const auto decoder = drawn<Decoder>(19, 2, sizes_of(layer_variants[0]));
  Recorder recorder;
  decoder(random_leaf({2, 3, 6}, 20), random_leaf({2, 4, 6}, 21), causal_mask(3, 3), source_mask);
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    const Tensor& self_weights = recorder.of(layer + "self_attention.weights");
    const Tensor& cross_weights = recorder.of(layer + "cross_attention.weights");
    REQUIRE(self_weights.shape() == Shape{2, 2, 3, 3});
    REQUIRE(cross_weights.shape() == Shape{2, 2, 3, 4});
    for (int row = 0; row < 12; ++row) {
      const float *self = self_weights.values().begin() + row * 3,
                  *cross = cross_weights.values().begin() + row * 4;
      for (int j = row % 3 + 1; j < 3; ++j) CHECK(self[j] == 0);
      CHECK(self[0] + self[1] + self[2] == doctest::Approx(1).epsilon(1e-6));
      CHECK(cross[0] + cross[1] + cross[2] + cross[3] == doctest::Approx(1).epsilon(1e-6));
      if (row >= 6) CHECK(cross[2] + cross[3] == 0);
    }
  }
}

TEST_CASE("decoder: a step records the weights of the new position, as the whole decoder does") {
  const auto decoder = drawn<Decoder>(19, 2, sizes_of(layer_variants[1]));
  const Tensor x = random_leaf({2, 3, 6}, 20), encoded = random_leaf({2, 4, 6}, 21);
  Recorder whole({"weights"});
  decoder(x, encoded, causal_mask(3, 3), source_mask);
  DecoderCache cache = decoder.start(encoded, source_mask);
  for (int t = 0; t < 3; ++t) {
    Recorder recorder({"weights"});
    decoder(slice(x, 1, t, 1), cache);
    for (const std::string layer : {"layers.0.", "layers.1."}) {
      const std::string self = layer + "self_attention.weights";
      const std::string cross = layer + "cross_attention.weights";
      expect_close(self, recorder.of(self), slice(slice(whole.of(self), 2, t, 1), 3, 0, t + 1),
                   2e-6);
      expect_close(cross, recorder.of(cross), slice(whole.of(cross), 2, t, 1), 2e-6);
    }
  }
}

TEST_CASE("decoder: shapes that do not fit are refused") {
  const auto decoder = drawn<Decoder>(22, 1, sizes_of(layer_variants[0]));
  const Tensor x = zeros(2, 3, 6), encoded = zeros(2, 4, 6);
  const Mask narrow{Ids::full({2, 1, 3}, 1)};
  expect_error([&] { decoder(zeros(2, 3, 5), encoded, {}, {}); },
               {"linear: ", "(2, 3, 5)", "(6, 6)"});
  expect_error([&] { decoder(x, zeros(2, 4, 7), {}, {}); }, {"linear: ", "(2, 4, 7)", "(6, 6)"});
  expect_error([&] { decoder(x, encoded, causal_mask(4, 4), {}); },
               {"softmax: ", "(2, 2, 3, 3)", "(1, 4, 4)"});
  expect_error([&] { decoder(x, encoded, {}, narrow); },
               {"softmax: ", "(2, 2, 3, 4)", "(2, 1, 3)"});
  expect_error([&] { decoder.start(encoded, narrow); }, {"decoder: ", "(2, 4, 6)", "(2, 1, 3)"});
  DecoderCache cache = decoder.start(encoded, source_mask);
  expect_error([&] { decoder(zeros(3, 1, 6), cache); }, {"attend_rows: ", "(3, 1, 6)", "2 lists"});
}

}  // namespace xf::test
