#include "04_feed_forward/feed_forward.hpp"

#include "ops/shape/shape_ops.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

TEST_CASE("feed_forward: worked by hand") {
  auto layer = drawn<FeedForward>(1, 1, 2, Activation::relu, 0.0f);
  layer.w_1.weight = Tensor::from({2, 1}, {1, -1});
  layer.w_1.bias = Tensor::from({2}, {-1, 0});
  layer.w_2.weight = Tensor::from({1, 2}, {10, 100});
  layer.w_2.bias = Tensor::from({1}, {5});
  // 10 max(0, x - 1) + 100 max(0, -x) + 5
  expect_same("y", layer(Tensor::from({1, 3, 1}, {3, -2, 0.5f})),
              Tensor::from({1, 3, 1}, {25, 205, 5}));
}

TEST_CASE("feed_forward: forward and every named gradient agree with PyTorch") {
  for (const auto& [name, activation] :
       {std::pair{"relu", Activation::relu}, std::pair{"gelu", Activation::gelu},
        std::pair{"silu", Activation::silu}}) {
    auto layer = drawn<FeedForward>(1, 6, 10, activation, 0.0f);
    check_layer(std::string("feed_forward.") + name, {"x"}, parameters(layer),
                [&](const Inputs& in) { return layer(in[0]); });
  }
}

TEST_CASE("feed_forward: backward matches finite differences, dropout included") {
  for (Activation activation : {Activation::gelu, Activation::silu}) {
    auto layer = drawn<FeedForward>(1, 4, 7, activation, 0.3f);
    auto leaves = random_parameters(layer, 2);
    const Tensor x = random_leaf({2, 3, 4}, 3);
    leaves.emplace_back("x", x);
    check_gradients("feed_forward", leaves, [&] {
      const Training training(4);
      return layer(x);
    });
  }
}

TEST_CASE("feed_forward: every position is on its own") {
  const auto layer = drawn<FeedForward>(1, 4, 7, Activation::relu, 0.0f);
  const Tensor x = random_leaf({2, 3, 4}, 5);
  const Tensor y = layer(x);
  for (int t = 0; t < 3; ++t)
    expect_close("position", slice(y, 1, t, 1), layer(slice(x, 1, t, 1)), 1e-6);
}

TEST_CASE("feed_forward: shapes that do not fit are refused") {
  const auto layer = drawn<FeedForward>(1, 4, 7, Activation::relu, 0.0f);
  expect_error([&] { layer(zeros(2, 3, 5)); }, {"linear: ", "(2, 3, 5)", "(7, 4)"});
}

}  // namespace xf::test
