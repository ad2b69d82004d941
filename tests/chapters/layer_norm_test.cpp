#include "03_layer_norm/layer_norm.hpp"

#include "03_layer_norm/residual.hpp"
#include "nn/linear.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

namespace {

// A residual block around a linear layer.
struct Block {
  LayerNorm norm;
  Linear f;
  template <class Visitor>
  void visit(Visitor&& v) {
    v("norm", norm);
    v("f", f);
  }
};

}  // namespace

TEST_CASE("LayerNorm: starts with mean 0 and variance 1 in every row") {
  const LayerNorm norm(50);
  const Tensor y = norm(random_leaf({3, 50}, 1, 7));
  for (int row = 0; row < 3; ++row) {
    double sum = 0, squares = 0;
    for (int j = 0; j < 50; ++j) sum += y.values()[row * 50 + j];
    for (int j = 0; j < 50; ++j) squares += std::pow(y.values()[row * 50 + j] - sum / 50, 2);
    CHECK(std::abs(sum / 50) < 1e-6);
    CHECK(squares / 50 == doctest::Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("LayerNorm: does not feel a shift or a positive factor of its input") {
  const LayerNorm norm(8);
  const Tensor x = random_leaf({2, 8}, 2);
  expect_close("5 x + 3", norm(5.0f * x + Tensor::full({8}, 3)), norm(x), 2e-5);
}

TEST_CASE("LayerNorm: forward and every named gradient agree with PyTorch") {
  LayerNorm norm(6);
  check_layer("layer_norm", {"x"}, parameters(norm), [&](const Inputs& in) { return norm(in[0]); });
}

TEST_CASE("residual: both orders agree with PyTorch") {
  Random random(1);
  Block block{LayerNorm(6), Linear(6, 6, random)};
  for (const auto& [name, order] :
       {std::pair{"residual.post", NormOrder::post}, std::pair{"residual.pre", NormOrder::pre}})
    check_layer(name, {"x"}, parameters(block), [&, where = order](const Inputs& in) {
      return residual(in[0], block.norm, where, 0, block.f);
    });
}

TEST_CASE("residual: backward matches finite differences, dropout included") {
  Random random(1);
  Block block{LayerNorm(6, 1e-2f), Linear(6, 6, random)};
  auto leaves = random_parameters(block, 3);
  const Tensor x = random_leaf({2, 3, 6}, 4, 2);
  leaves.emplace_back("x", x);
  for (NormOrder order : {NormOrder::post, NormOrder::pre})
    check_gradients("residual", leaves, [&] {
      const Training training(5);
      return residual(x, block.norm, order, 0.2f, block.f);
    });
}

TEST_CASE("residual: pre-norm keeps the un-normalised input, post-norm normalises the sum") {
  const LayerNorm norm(4);
  const Tensor x = Tensor::from({1, 4}, {100, 200, 300, 400});
  const auto nothing = [](const Tensor& h) { return 0.0f * h; };
  expect_same("pre", residual(x, norm, NormOrder::pre, 0, nothing), x);
  expect_close("post", residual(x, norm, NormOrder::post, 0, nothing), norm(x));
}

TEST_CASE("LayerNorm and residual: shapes that do not fit are refused") {
  const LayerNorm norm(4);
  expect_error([&] { norm(zeros(2, 3)); }, {"layer_norm: ", "(2, 3)", "(4)"});
  const auto widens = [](const Tensor&) { return Tensor::zeros({2, 5}); };
  expect_error([&] { residual(zeros(2, 4), norm, NormOrder::pre, 0, widens); },
               {"add: ", "(2, 4)", "(2, 5)"});
}

}  // namespace xf::test
