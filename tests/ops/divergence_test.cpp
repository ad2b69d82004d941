#include "ops/divergence/divergence.hpp"

#include "ops/elementwise/elementwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("symmetric_divergence: worked by hand") {
  // p = (1/3, 2/3) and q = (2/3, 1/3): d = (-ln 2, ln 2), D = 2/3 ln 2 of the one row; the other
  // row has p = q, whatever is added to its logits.
  const float ln2 = std::log(2.0f);
  const Tensor a = Tensor::from({2, 2}, {0, ln2, 1, 4}), b = Tensor::from({2, 2}, {ln2, 0, -2, 1});
  expect_close("D", symmetric_divergence(a, b, 1), Tensor::full({}, 2 * ln2 / 3));
  expect_close("divisor", symmetric_divergence(a, b, 4), Tensor::full({}, ln2 / 6));
  expect_same("of itself", symmetric_divergence(a, a, 1), Tensor::full({}, 0));
}

TEST_CASE("symmetric_divergence: agrees with the xtensor formula, both ways round") {
  const Tensor a = random_leaf({5, 37}, 1, 3), b = random_leaf({5, 37}, 2, 3);
  const Tensor expected = Tensor::full({}, xt_reference::symmetric_divergence(a, b) / 3);
  expect_close("D", symmetric_divergence(a, b, 3), expected);
  expect_close("D", symmetric_divergence(b, a, 3), expected);
}

TEST_CASE("symmetric_divergence: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "symmetric_divergence", {"a", "b"},
             [&](const Inputs& in) { return symmetric_divergence(in[0], in[1], 13); });
}

TEST_CASE("symmetric_divergence: backward matches finite differences") {
  const Tensor a = random_leaf({2, 3, 5}, 3), b = random_leaf({2, 3, 5}, 4);
  check_gradients("symmetric_divergence", {{"a", a}, {"b", b}},
                  [&] { return symmetric_divergence(a, b, 2); });
}

TEST_CASE("symmetric_divergence: memory that nobody holds is used again, held tensors stay") {
  const Tensor x = random_leaf({5, 7}, 5), w = random_leaf({7, 29}, 6), z = random_leaf({5, 7}, 7);
  Tape tape;
  const Tensor a = matmul(x, w), b = matmul(z, w), a_copy = a.clone(), b_copy = b.clone();
  const Gradients expected = tape.backward(scale(symmetric_divergence(a, b, 2), 3));
  expect_same("a", a, a_copy);
  expect_same("b", b, b_copy);
  Tensor first = matmul(x, w), second = matmul(z, w);
  const Gradients found =
      tape.backward(scale(symmetric_divergence(std::move(first), std::move(second), 2), 3));
  for (const Tensor* leaf : {&x, &w, &z})
    expect_same("gradient", found.of(*leaf), expected.of(*leaf));
}

TEST_CASE("symmetric_divergence: logits far apart do not overflow, and NaN stays NaN") {
  const Tensor a = parameter(Tensor::from({1, 2}, {1e4f, 0})), b = Tensor::from({1, 2}, {0, 1e4f});
  Tape tape;
  const Tensor loss = symmetric_divergence(a, b, 1);
  expect_close("D", loss, Tensor::full({}, 2e4f));
  for (const float value : tape.backward(loss).of(a).values()) CHECK(std::isfinite(value));
  const Tensor broken = Tensor::from({1, 2}, {std::nanf(""), 0});
  CHECK(std::isnan(symmetric_divergence(a, broken, 1).item()));
}

TEST_CASE("symmetric_divergence: bad shapes are refused, named in the message") {
  const Tensor a = Tensor::zeros({2, 3});
  expect_error([&] { symmetric_divergence(a, zeros(2, 4), 1); },
               {"symmetric_divergence: ", "(2, 3)", "(2, 4)"});
}

}  // namespace xf::test
