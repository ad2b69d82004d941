#include "ops/heads/heads.hpp"

#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("split_heads: head h gets its own columns, worked by hand") {
  const Tensor x = Tensor::from({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor y = Tensor::from({1, 2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8});
  expect_same("split", split_heads(x, 2), y);
  expect_same("merge", merge_heads(y), x);
}

TEST_CASE("split_heads: agrees with the xtensor formula; merge_heads is its inverse") {
  const Tensor x = random_leaf({2, 5, 12}, 1);
  for (int heads : {1, 2, 3, 12}) {
    expect_same("split", split_heads(x, heads), xt_reference::split_heads(x, heads));
    expect_same("merge", merge_heads(split_heads(x, heads)), x);
  }
}

TEST_CASE("heads: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "split_heads", {"x"},
             [](const Inputs& in) { return split_heads(in[0], 2); });
  check_case(ops_golden(), "merge_heads", {"x"},
             [](const Inputs& in) { return merge_heads(in[0]); });
}

TEST_CASE("heads: backward matches finite differences") {
  const Tensor x = random_leaf({2, 3, 6}, 2), y = random_leaf({2, 3, 4, 2}, 3);
  check_gradients("split_heads", {{"x", x}}, [&] { return split_heads(x, 3); });
  check_gradients("merge_heads", {{"x", y}}, [&] { return merge_heads(y); });
}

TEST_CASE("heads: shapes that do not fit are refused") {
  expect_error([] { split_heads(zeros(2, 5, 6), 4); }, {"split_heads: ", "4", "(2, 5, 6)"});
  expect_error([] { split_heads(zeros(2, 5, 6), 0); }, {"split_heads: ", "0", "(2, 5, 6)"});
  expect_error([] { split_heads(zeros(5, 6), 2); }, {"split_heads: (B, T, D)", "(5, 6)"});
  expect_error([] { merge_heads(zeros(2, 5, 6)); }, {"merge_heads: ", "(2, 5, 6)"});
}

}  // namespace xf::test
