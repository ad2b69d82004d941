#include "ops/rms_norm/rms_norm.hpp"

#include "ops/elementwise/elementwise.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("rms_norm: worked by hand") {
  // Mean squares (1 + 49) / 2 = 25, and with eps 9 / 2 + 1.75 = 6.25.
  const Tensor gamma = Tensor::from({2}, {1, -2});
  expect_close("y", rms_norm(Tensor::from({1, 2}, {1, 7}), gamma, 0),
               Tensor::from({1, 2}, {0.2f, -2.8f}));
  expect_close("eps", rms_norm(Tensor::from({1, 2}, {0, 3}), gamma, 1.75f),
               Tensor::from({1, 2}, {0, -2.4f}));
}

TEST_CASE("rms_norm: agrees with the xtensor formula") {
  for (int width : {1, 6, 17, 256}) {
    const Tensor x = random_leaf({5, width}, 1, 3), gamma = random_leaf({width}, 2);
    expect_close("rms_norm", rms_norm(x, gamma, 1e-5f), xt_reference::rms_norm(x, gamma, 1e-5f));
  }
}

TEST_CASE("rms_norm: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "rms_norm", {"x", "gamma"},
             [](const Inputs& in) { return rms_norm(in[0], in[1], 1e-2f); });
}

TEST_CASE("rms_norm: backward matches finite differences") {
  const Tensor x = random_leaf({2, 3, 6}, 4, 2), gamma = random_leaf({6}, 5);
  check_gradients("rms_norm", {{"x", x}, {"gamma", gamma}},
                  [&] { return rms_norm(x, gamma, 1e-2f); });
}

TEST_CASE("rms_norm: a factor of x is divided out again, an offset is not") {
  const Tensor x = Tensor::from({1, 2}, {1, 7}), gamma = Tensor::full({2}, 1);
  expect_close("factor", rms_norm(scale(x, 8), gamma, 0), rms_norm(x, gamma, 0));
  expect_close("offset", rms_norm(Tensor::from({1, 2}, {-3, 3}), gamma, 0),
               Tensor::from({1, 2}, {-1, 1}));
}

TEST_CASE("rms_norm: shapes that do not fit are refused") {
  expect_error([] { rms_norm(zeros(2, 3), zeros(4)); }, {"rms_norm: ", "(2, 3)", "(4)"});
  expect_error([] { rms_norm(zeros(), zeros(1)); }, {"rms_norm: ", "()"});
}

}  // namespace xf::test
