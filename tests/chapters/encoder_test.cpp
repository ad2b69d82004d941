#include "05_encoder/encoder.hpp"

#include "ops/shape/shape_ops.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/layer_variants.hpp"

namespace xf::test {

TEST_CASE("encoder layer and encoder: forward and every named gradient agree with PyTorch") {
  for (const LayerVariant& v : layer_variants) {
    Random random(1);
    EncoderLayer layer(sizes_of(v), random);
    Encoder encoder(2, sizes_of(v), random);
    const std::string one = std::string("encoder_layer.") + v.name;
    const std::string stack = std::string("encoder.") + v.name;
    const Mask mask{layers_golden().ids(one + "/mask")};
    check_layer(one, {"x"}, parameters(layer),
                [&](const Inputs& in) { return layer(in[0], mask); });
    check_layer(stack, {"x"}, parameters(encoder),
                [&](const Inputs& in) { return encoder(in[0], mask); });
  }
}

TEST_CASE("encoder layer: backward matches finite differences, dropout included") {
  for (NormOrder norm : {NormOrder::post, NormOrder::pre}) {
    Random random(1);
    EncoderLayer layer({.d_model = 4,
                        .d_ff = 6,
                        .heads = 2,
                        .dropout = 0.2f,
                        .norm = norm,
                        .activation = Activation::silu},
                       random);
    auto leaves = random_parameters(layer, 2);
    const Tensor x = random_leaf({2, 3, 4}, 3);
    leaves.emplace_back("x", x);
    const Mask mask{Ids({2, 1, 3}, {1, 1, 1, 1, 1, 0})};
    const auto y = [&] {
      const Training training(4);
      return layer(x, mask);
    };
    check_gradients("encoder_layer", leaves, y, {.h = 1.0 / 64});  // post-norm bends quickly
  }
}

TEST_CASE("encoder: padding does not leak into the words") {
  for (const LayerVariant& v : layer_variants) {
    const auto encoder = drawn<Encoder>(5, 2, sizes_of(v));
    const Tensor x = random_leaf({2, 4, 6}, 6);
    const Mask mask = padding_mask(Ids({2, 4}, {5, 7, 0, 0, 3, 3, 3, 3}), 0);
    Tensor other = x.clone();  // another padding in the first sentence
    for (int i = 2 * 6; i < 4 * 6; ++i) copy_into(other, {50}, i);
    const Tensor y = encoder(x, mask), z = encoder(other, mask);
    const auto words = [](const Tensor& all) { return slice(slice(all, 0, 0, 1), 1, 0, 2); };
    expect_same("words", words(z), words(y));
    expect_same("other sentence", slice(z, 0, 1, 1), slice(y, 0, 1, 1));
    expect_close("without padding", encoder(words(x), {}), words(y));
  }
}

TEST_CASE("encoder: permuting the words permutes the output alike") {
  const auto encoder = drawn<Encoder>(7, 2, sizes_of(layer_variants[0]));
  const Tensor x = random_leaf({4, 6}, 8);
  const std::vector<int> order = {2, 0, 3, 1};
  const auto encode = [&](const Tensor& words) {
    return encoder(words.view({1, 4, 6}), {}).view({4, 6});
  };
  expect_close("permuted", encode(gather_rows(x, order)), gather_rows(encode(x), order));
}

TEST_CASE("encoder: pre-norm ends in a norm of its own, post-norm has none") {
  Random random(9);
  Encoder post(1, sizes_of(layer_variants[0]), random), pre(1, sizes_of(layer_variants[1]), random);
  CHECK(parameters(post).size() == 16);
  CHECK(parameters(pre).size() == 18);
}

TEST_CASE("encoder: weights are those of each layer, rows summing to one") {
  const auto encoder = drawn<Encoder>(10, 3, sizes_of(layer_variants[0]));
  Recorder recorder;
  const Tensor y = encoder(random_leaf({2, 4, 6}, 11), {});
  expect_same("output", recorder.of("layers.2.output"), y);
  const std::vector<Tensor> weights = recorder.all("layers.*.self_attention.weights");
  REQUIRE(weights.size() == 3);
  for (const Tensor& w : weights) {
    REQUIRE(w.shape() == Shape{2, 2, 4, 4});
    for (int row = 0; row < 16; ++row) {
      double total = 0;
      for (int j = 0; j < 4; ++j) total += w.values()[row * 4 + j];
      CHECK(total == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("encoder: shapes that do not fit are refused") {
  Random random(12);
  const Encoder encoder(1, sizes_of(layer_variants[0]), random);
  expect_error([&] { encoder(zeros(2, 3, 5), {}); }, {"linear: ", "(2, 3, 5)", "(6, 6)"});
  expect_error(
      [&] {
        encoder(zeros(2, 3, 6), {Ids::full({2, 1, 4}, 1)});
      },
      {"softmax: ", "(2, 2, 3, 3)", "(2, 1, 4)"});
  expect_error([&] { EncoderLayer({.d_model = 6, .d_ff = 8, .heads = 4}, random); },
               {"multi_head_attention: ", "4", "6"});
}

}  // namespace xf::test
