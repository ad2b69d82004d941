#include "08_transformer_xl/equations.hpp"

#include <limits>

#include "support/golden.hpp"
#include "support/language_models.hpp"

namespace xf::test {

TEST_CASE("relative_positions: the last row is distance 0, far ones clamp") {
  const Tensor r = relative_positions(5, 4);
  for (int c = 0; c < 5; ++c)
    expect_same("row", slice(r, 0, c, 1), sinusoidal_positions(1, 4, 4 - c));
  const Tensor clamped = relative_positions(5, 4, 2);
  for (int c = 0; c < 5; ++c)
    expect_same("clamped", slice(clamped, 0, c, 1), sinusoidal_positions(1, 4, std::min(4 - c, 2)));
  const RelativePositions table(3, 4, 0);
  for (int length : {1, 3, 5}) expect_same("table", table(length), relative_positions(length, 4));
}

TEST_CASE("relative_scores: the shift gives the four terms of the definition") {
  for (const auto& [t, s] : {std::pair{4, 7}, std::pair{3, 3}, std::pair{1, 5}, std::pair{5, 6}}) {
    Random random(1);
    const int heads = 3, d_model = 6;
    const GlobalBiases bias{[&] {
      GlobalBiases b(d_model, heads, random);
      b.u = random_leaf({heads, 2}, 1), b.v = random_leaf({heads, 2}, 2);
      return b;
    }()};
    const Tensor q = random_leaf({2, t, d_model}, 3), w_r = random_leaf({d_model, d_model}, 4);
    const Tensor k = split_heads(random_leaf({2, s, d_model}, 5), heads);
    const RelativeTerms terms = relative_scores_by_definition(split_heads(q, heads), k, w_r, bias);
    const Tensor positions = linear(relative_positions(s, d_model), w_r, {});  // (S, D)
    const Tensor r = split_heads(reshape(positions, {1, s, d_model}), heads);
    const Tensor shifted = relative_scores(q, k, r, bias), sum = terms.sum();
    REQUIRE(shifted.shape() == sum.shape());
    const double size = largest(sum);
    double gap = 0;
    for (std::ptrdiff_t n = 0; n < sum.count(); ++n) {
      const bool seen = n % s <= n / s % t + s - t;
      if (seen) gap = std::max(gap, std::abs(double(shifted.values()[n]) - sum.values()[n]));
      if (!seen) CHECK(sum.values()[n] == 0);
    }
    CHECK(gap <= 1e-6 * size);
    for (const Tensor& term : {terms.a, terms.b, terms.c, terms.d}) CHECK(largest(term) > 0.1);
  }
}

TEST_CASE("relative_attention: forward and every named gradient agree with PyTorch") {
  Random random(1);
  RelativeAttention layer(6, 2, 0, random);
  GlobalBiases bias(6, 2, random);
  std::vector<NamedParameter> all = parameters(layer);
  for (const NamedParameter& p : parameters(bias)) all.push_back(p);
  const Mask mask =
      segment_mask({.query_length = 5, .present_length = 4, .memory_length = 4}, false);
  check_layer("relative_attention", {"x", "memory"}, all, [&](const Inputs& in) {
    const Tensor context = concat(in[1], in[0], 1);  // (2, 9, 6)
    return layer(in[0], layer.keys(context, relative_positions(9, 6)), bias, mask);
  });
}

TEST_CASE("relative_attention: what does not fit is refused") {
  Random random(1);
  expect_error([&] { RelativeAttention(6, 4, 0, random); }, {"relative_attention: ", "4", "6"});
  expect_error([&] { RelativeAttention(6, 0, 0, random); }, {"relative_attention: ", "0", "6"});
  const RelativeAttention layer(6, 2, 0, random);
  const Tensor context = Tensor::zeros({2, 4, 6});
  expect_error([&] { layer.keys(zeros(2, 4, 5), relative_positions(4, 6)); },
               {"linear: ", "(2, 4, 5)", "(6, 6)"});
  const GlobalBiases bias(6, 2, random);
  const Mask mask =
      segment_mask({.query_length = 3, .present_length = 1, .memory_length = 1}, false);
  expect_error(
      [&] { layer(zeros(1, 3, 6), layer.keys(context, relative_positions(4, 6)), bias, mask); },
      {"attend_relative: ", "(1, 2, 3, 3)", "(2, 2, 4, 3)"});
  expect_error([] { relative_positions(3, 5); }, {"sinusoidal_positions: ", "5"});
}

TEST_CASE("relative attention: NaN in the garbage above the diagonal changes nothing") {
  Random random(1);
  const int heads = 2, t = 4, s = 7;
  GlobalBiases bias(4, heads, random);
  const Tensor q = random_leaf({2, t, 4}, 1), k = random_leaf({2, heads, s, 2}, 2),
               r = random_leaf({1, heads, s, 2}, 3);
  for (bool same_length : {false, true}) {
    const Mask mask = segment_mask(
        {.query_length = t, .present_length = s - t, .memory_length = s - t}, same_length);
    const Tensor scores = relative_scores(q, k, r, bias);
    Tensor poisoned = scores.clone();
    int cells = 0;
    for (std::ptrdiff_t n = 0; n < scores.count(); ++n)
      if (!mask.allowed()[n % (t * s)]) {
        copy_into(poisoned, {std::numeric_limits<float>::quiet_NaN()}, n);
        ++cells;
      }
    CHECK(cells == 4 * (same_length ? t * (s - 3) : t * (t - 1) / 2));
    const auto weights_and_gradient = [&](const Tensor& x) {
      const Tensor leaf = parameter(x.clone());
      Tape tape;
      const Tensor y = softmax(leaf, {.scale = 0.7f, .mask = mask});
      const Gradients gradients = tape.backward(weighted_sum(y, detach(random_leaf(y.shape(), 4))));
      return std::pair{y, gradients.of(leaf)};
    };
    const auto [clean, d_clean] = weights_and_gradient(scores);
    const auto [dirty, d_dirty] = weights_and_gradient(poisoned);
    expect_same("weights", dirty, clean);
    expect_same("gradient", d_dirty, d_clean);
  }
}

TEST_CASE("transformer_xl layer: backward matches finite differences, dropout included") {
  for (NormOrder norm : {NormOrder::post, NormOrder::pre})
    for (bool same_length : {false, true}) {
      const LayerSizes sizes{.d_model = 4,
                             .d_ff = 6,
                             .heads = 2,
                             .dropout = 0.2f,
                             .norm = norm,
                             .activation = Activation::silu};
      Random random(1);
      TransformerXlLayer layer(sizes, 0.2f, random);
      GlobalBiases bias(4, 2, random);
      auto leaves = random_parameters(layer, 2);
      for (auto& leaf : random_parameters(bias, 3, 1)) leaves.push_back(leaf);
      const Tensor x = random_leaf({2, 3, 4}, 4);
      const Tensor memory = detach(random_leaf({2, 2, 4}, 5));
      leaves.emplace_back("x", x);
      const Mask mask =
          segment_mask({.query_length = 3, .present_length = 2, .memory_length = 3}, same_length);
      check_gradients("layer", leaves, [&] {
        const Training training(6);
        Memory::Layer past{.states = memory};
        return layer(x, past, dropout(relative_positions(5, 4), 0.2f), bias, mask);
      });
    }
}

}  // namespace xf::test
