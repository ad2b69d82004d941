#include "ops/layer_norm/layer_norm.hpp"

#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("layer_norm: worked by hand") {
  // Row 1: mean 3, variance (4 + 0 + 4) / 3 = 8/3. Row 2: mean 2, variance 2/3.
  const Tensor x = Tensor::from({2, 3}, {1, 3, 5, 3, 2, 1});
  const Tensor gamma = Tensor::from({3}, {1, 2, -1}), beta = Tensor::from({3}, {0, 10, 0.5f});
  const float n = std::sqrt(1.5f);  // 2 / sqrt(8/3) = 1 / sqrt(2/3)
  expect_close("y", layer_norm(x, gamma, beta, 0),
               Tensor::from({2, 3}, {-n, 10, -n + 0.5f, n, 10, n + 0.5f}));
}

TEST_CASE("layer_norm: eps is inside the root, and a constant row gives beta") {
  const Tensor gamma = Tensor::full({4}, 3), beta = Tensor::from({4}, {1, 2, 3, 4});
  expect_close("constant", layer_norm(Tensor::full({1, 4}, 2.5f), gamma, beta),
               Tensor::from({1, 4}, {1, 2, 3, 4}));
  // Variance 1, eps 3: divided by 2.
  const Tensor y =
      layer_norm(Tensor::from({1, 2}, {-1, 1}), Tensor::full({2}, 1), Tensor::zeros({2}), 3);
  expect_close("eps", y, Tensor::from({1, 2}, {-0.5f, 0.5f}));
}

TEST_CASE("layer_norm: agrees with the xtensor formula") {
  for (int width : {2, 6, 17, 256}) {
    const Tensor x = random_leaf({5, width}, 1, 3);
    const Tensor gamma = random_leaf({width}, 2), beta = random_leaf({width}, 3);
    expect_close("layer_norm", layer_norm(x, gamma, beta, 1e-5f),
                 xt_reference::layer_norm(x, gamma, beta, 1e-5f));
  }
}

TEST_CASE("layer_norm: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "layer_norm", {"x", "gamma", "beta"},
             [](const Inputs& in) { return layer_norm(in[0], in[1], in[2]); });
  check_case(ops_golden(), "layer_norm.eps", {"x", "gamma", "beta"},
             [](const Inputs& in) { return layer_norm(in[0], in[1], in[2], 1e-2f); });
}

TEST_CASE("layer_norm: backward matches finite differences") {
  const Tensor x = random_leaf({2, 3, 6}, 4, 2);
  const Tensor gamma = random_leaf({6}, 5), beta = random_leaf({6}, 6);
  check_gradients("layer_norm", {{"x", x}, {"gamma", gamma}, {"beta", beta}},
                  [&] { return layer_norm(x, gamma, beta, 1e-2f); });
}

TEST_CASE("layer_norm: each wanted gradient comes alone, too") {
  const Tensor x = random_leaf({4, 6}, 7), gamma = random_leaf({6}, 8), beta = random_leaf({6}, 9);
  const Tensor weights = detach(random_leaf({4, 6}, 10));
  const auto gradients = [&](const Tensor& a, const Tensor& g, const Tensor& b) {
    Tape tape;
    return tape.backward(weighted_sum(layer_norm(a, g, b), weights));
  };
  const Gradients all = gradients(x, gamma, beta);
  const Gradients only_x = gradients(x, detach(gamma), detach(beta));
  const Gradients only_beta = gradients(detach(x), detach(gamma), beta);
  expect_same("dx", only_x.of(x), all.of(x));
  expect_same("dbeta", only_beta.of(beta), all.of(beta));
  CHECK_FALSE(only_x.of(gamma).defined());
  CHECK_FALSE(only_beta.of(x).defined());
}

TEST_CASE("layer_norm: a large common offset does not cost the small differences") {
  const Tensor small = Tensor::from({1, 4}, {0, 0.5f, 1, 1.5f});
  const Tensor shifted = Tensor::from({1, 4}, {4096, 4096.5f, 4097, 4097.5f});
  const Tensor gamma = Tensor::full({4}, 1), beta = Tensor::zeros({4});
  expect_close("offset", layer_norm(shifted, gamma, beta), layer_norm(small, gamma, beta));
}

TEST_CASE("layer_norm: no features, no rows") {
  for (const Shape& shape : {Shape{2, 0}, Shape{0, 3}}) {
    const Tensor x = random_leaf(shape, 11), gamma = random_leaf({shape[1]}, 12);
    Tape tape;
    const Gradients gradients = tape.backward(sum(layer_norm(x, gamma, gamma)));
    CHECK(gradients.of(x).shape() == shape);
    expect_same("dgamma", gradients.of(gamma), Tensor::zeros(gamma.shape()));
  }
}

TEST_CASE("layer_norm: shapes that do not fit are refused") {
  const Tensor x = Tensor::zeros({2, 3}), three = Tensor::zeros({3}), four = Tensor::zeros({4});
  expect_error([&] { layer_norm(x, four, four); }, {"layer_norm: ", "(2, 3)", "(4)"});
  expect_error([&] { layer_norm(x, three, four); }, {"layer_norm: ", "(2, 3)", "(3)", "(4)"});
  expect_error([&] { layer_norm(zeros(), three, three); }, {"layer_norm: ", "()", "(3)"});
}

}  // namespace xf::test
