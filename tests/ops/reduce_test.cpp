#include "ops/reduce/reduce.hpp"

#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("reduce: worked by hand") {
  const Tensor x = Tensor::from({2, 2}, {1, 2, 3, -10});
  expect_same("sum", sum(x), Tensor::full({}, -4));
  expect_same("mean", mean(x), Tensor::full({}, -1));
  expect_same("weighted", weighted_sum(x, Tensor::from({2, 2}, {1, 0, 2, -1})),
              Tensor::full({}, 17));
}

TEST_CASE("reduce: agrees with the xtensor formula") {
  const Tensor x = random_leaf({3, 7, 11}, 1);
  expect_close("sum", sum(x), Tensor::full({}, static_cast<float>(xt_reference::sum(x))));
}

TEST_CASE("reduce: sums in double") {
  Tensor x = Tensor::full({1 << 20}, 0.1f);
  CHECK(sum(x).item() == doctest::Approx(0.1f * (1 << 20)).epsilon(1e-6));
  x.data()[0] = 1e8f;  // in float, adding 0.1 to 1e8 changes nothing
  CHECK(sum(x).item() == doctest::Approx(1e8 + 0.1f * ((1 << 20) - 1)).epsilon(1e-7));
}

TEST_CASE("reduce: forward and gradients agree with PyTorch") {
  using Inputs = std::vector<Tensor>;
  check_case(ops_golden(), "sum", {"x"}, [](const Inputs& in) { return sum(in[0]); });
  check_case(ops_golden(), "mean", {"x"}, [](const Inputs& in) { return mean(in[0]); });
  check_case(ops_golden(), "weighted_sum", {"x"}, [](const Inputs& in) {
    return weighted_sum(in[0], ops_golden()("weighted_sum/weights"));
  });
}

TEST_CASE("reduce: backward matches finite differences") {
  const Tensor x = random_leaf({2, 3}, 2), weights = detach(random_leaf({2, 3}, 3));
  check_gradients("sum", {{"x", x}}, [&] { return sum(x); });
  check_gradients("mean", {{"x", x}}, [&] { return mean(x); });
  check_gradients("weighted_sum", {{"x", x}}, [&] { return weighted_sum(x, weights); });
}

TEST_CASE("reduce: what does not fit is refused") {
  expect_error(
      [] {
        weighted_sum(Tensor::zeros({2, 3}), Tensor::zeros({3, 2}));
      },
      {"weighted_sum: ", "(2, 3)", "(3, 2)"});
  expect_error([] { mean(Tensor::zeros({0, 3})); }, {"mean: "});
}

}  // namespace xf::test
