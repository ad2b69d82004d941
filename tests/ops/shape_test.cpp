#include <limits>

#include "ops/elementwise/elementwise.hpp"
#include "ops/shape/shape_ops.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("shape ops: worked by hand") {
  const Tensor x = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_same("transpose", transpose(x), Tensor::from({3, 2}, {1, 4, 2, 5, 3, 6}));
  expect_same("reshape", reshape(x, {3, 2}), Tensor::from({3, 2}, {1, 2, 3, 4, 5, 6}));
  expect_same("concat rows", concat(x, Tensor::from({1, 3}, {7, 8, 9}), 0),
              Tensor::from({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  expect_same("concat columns", concat(x, Tensor::from({2, 1}, {7, 8}), -1),
              Tensor::from({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8}));
  expect_same("slice", slice(x, 1, 1, 2), Tensor::from({2, 2}, {2, 3, 5, 6}));
  expect_same("slice rows", slice(x, -2, 1, 1), Tensor::from({1, 3}, {4, 5, 6}));
  expect_same("gather_rows", gather_rows(x, {1, 1, 0}),
              Tensor::from({3, 3}, {4, 5, 6, 4, 5, 6, 1, 2, 3}));
}

TEST_CASE("shape ops: agree with the xtensor formulas") {
  const Tensor x = random_leaf({2, 4, 7}, 1), a = random_leaf({5, 3}, 2),
               b = random_leaf({5, 6}, 3);
  expect_same("transpose", transpose(x), xt_reference::transpose(x));
  expect_same("concat", concat(a, b, 1), xt_reference::concat_columns(a, b));
  expect_same("slice", slice(b, 1, 2, 3), xt_reference::columns(b, 2, 3));
  expect_same("gather_rows", gather_rows(b, {4, 0, 0}), xt_reference::rows(b, {4, 0, 0}));
}

TEST_CASE("shape ops: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "transpose", {"x"}, [](const Inputs& in) { return transpose(in[0]); });
  check_case(ops_golden(), "reshape", {"x"}, [](const Inputs& in) {
    return reshape(in[0], {6, 5});
  });
  for (int axis = 0; axis < 3; ++axis) {
    check_case(ops_golden(), "concat." + std::to_string(axis), {"a", "b"},
               [axis](const Inputs& in) { return concat(in[0], in[1], axis); });
    check_case(ops_golden(), "slice." + std::to_string(axis), {"x"},
               [axis](const Inputs& in) { return slice(in[0], axis, 1, 2); });
  }
  check_case(ops_golden(), "gather_rows", {"x"}, [](const Inputs& in) {
    return gather_rows(in[0], {3, 0, 0, 2, 3});
  });
}

TEST_CASE("shape ops: backward matches finite differences") {
  const Tensor x = random_leaf({3, 2, 4}, 4), y = random_leaf({3, 5, 4}, 5);
  check_gradients("transpose", {{"x", x}}, [&] { return transpose(x); });
  check_gradients("reshape", {{"x", x}}, [&] { return reshape(x, {4, 6}); });
  check_gradients("concat", {{"x", x}, {"y", y}}, [&] { return concat(x, y, 1); });
  check_gradients("concat with itself", {{"x", x}}, [&] { return concat(x, x, 2); });
  check_gradients("slice", {{"y", y}}, [&] { return slice(y, 1, 2, 3); });
  check_gradients("gather_rows", {{"x", x}}, [&] { return gather_rows(x, {2, 0, 2}); });
}

TEST_CASE("shape ops: slices put together are the whole") {
  const Tensor x = random_leaf({3, 5, 2}, 6);
  expect_same("whole", concat(slice(x, 1, 0, 2), slice(x, 1, 2, 3), 1), x);
  CHECK(slice(x, 1, 2, 0).shape() == Shape{3, 0, 2});
  CHECK(gather_rows(x, {}).shape() == Shape{0, 5, 2});
}

TEST_CASE("shape ops: what does not fit is refused, with the shapes") {
  const Tensor x = Tensor::zeros({2, 3});
  expect_error([&] { reshape(x, {4, 2}); }, {"reshape: ", "(2, 3)", "(4, 2)"});
  expect_error([&] { transpose(zeros(3)); }, {"transpose: ", "(3)"});
  expect_error([&] { concat(x, zeros(3, 3), 1); }, {"concat: ", "(2, 3)", "(3, 3)"});
  expect_error([&] { concat(x, zeros(2), 0); }, {"concat: ", "(2, 3)", "(2)"});
  expect_error([&] { concat(x, x, 2); }, {"concat: ", "axis 2", "(2, 3)"});
  expect_error([&] { slice(x, 1, 2, 2); }, {"slice: ", "[2, 4)", "(2, 3)"});
  expect_error([&] { slice(x, 1, -1, 2); }, {"slice: ", "[-1, 1)", "(2, 3)"});
  const int most = std::numeric_limits<int>::max();
  expect_error([&] { slice(x, 1, 1, most); }, {"slice: ", "[1, 2147483648)", "(2, 3)"});
  expect_error([&] { slice(x, -3, 0, 1); }, {"slice: ", "axis -3", "(2, 3)"});
  expect_error([&] { gather_rows(x, {0, 2}); }, {"gather_rows: ", "row 2", "(2, 3)"});
  expect_error([&] { gather_rows(x, {-1}); }, {"gather_rows: ", "row -1", "(2, 3)"});
  expect_error([&] { gather_rows(zeros(), {0}); }, {"gather_rows: "});
}

}  // namespace xf::test
