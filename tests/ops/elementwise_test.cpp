#include "ops/elementwise/elementwise.hpp"

#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("add: y = a + b, worked by hand, b repeated over the leading axes") {
  const Tensor a = Tensor::from({2, 2}, {1, 2, 3, 4});
  expect_same("same", a + a, Tensor::from({2, 2}, {2, 4, 6, 8}));
  expect_same("repeated", a + Tensor::from({2}, {10, 20}), Tensor::from({2, 2}, {11, 22, 13, 24}));
  expect_same("scalar", a + Tensor::full({}, 5), Tensor::from({2, 2}, {6, 7, 8, 9}));
}

TEST_CASE("multiply and scale: worked by hand") {
  const Tensor a = Tensor::from({3}, {1, -2, 3});
  expect_same("multiply", a * Tensor::from({3}, {4, 5, -6}), Tensor::from({3}, {4, -10, -18}));
  expect_same("scale", 2.0f * a, Tensor::from({3}, {2, -4, 6}));
  expect_same("scale", a * -0.5f, Tensor::from({3}, {-0.5f, 1, -1.5f}));
  const Tensor rows = Tensor::from({2, 2}, {1, 2, 3, 4}), factors = Tensor::from({2}, {-1, 0.5f});
  expect_same("scale_rows", scale_rows(rows, factors), Tensor::from({2, 2}, {-1, -2, 1.5f, 2}));
  CHECK_THROWS_WITH_AS(scale_rows(rows, a),
                       "scale_rows: one factor a row wanted: x is (2, 2), the factors are (3)",
                       std::invalid_argument);
}

TEST_CASE("activations: worked by hand") {
  const Tensor x = Tensor::from({3}, {-1, 0, 2});
  expect_same("relu", relu(x), Tensor::from({3}, {0, 0, 2}));
  // The normal distribution: Phi(-1) = 0.1586553, Phi(2) = 0.9772499.
  expect_close("gelu", gelu(x), Tensor::from({3}, {-0.1586553f, 0, 1.9544997f}));
  expect_close("gelu_tanh", gelu_tanh(x), Tensor::from({3}, {-0.1588080f, 0, 1.9545977f}));
  // 1 / (1 + e) = 0.2689414, 1 / (1 + e^-2) = 0.8807971.
  expect_close("silu", silu(x), Tensor::from({3}, {-0.2689414f, 0, 1.7615942f}));
  expect_close("sigmoid", sigmoid(x), Tensor::from({3}, {0.2689414f, 0.5f, 0.8807971f}));
  expect_close("tanh", tanh(x), Tensor::from({3}, {-0.7615942f, 0, 0.9640276f}));
}

TEST_CASE("activations: far from zero they are 0 and x, without overflow") {
  const Tensor x = Tensor::from({4}, {-200, -30, 30, 200});
  const Tensor limit = Tensor::from({4}, {0, 0, 30, 200});
  expect_same("relu", relu(x), limit);
  expect_close("gelu", gelu(x), limit, 1e-7);
  expect_close("silu", silu(x), limit, 1e-11, 1);  // silu(-30) is -2.8e-12
  expect_close("sigmoid", sigmoid(x), Tensor::from({4}, {0, 0, 1, 1}), 1e-7);
  expect_same("tanh", tanh(x), Tensor::from({4}, {-1, -1, 1, 1}));
}

TEST_CASE("elementwise: agrees with the xtensor formulas") {
  const Tensor a = random_leaf({2, 5, 3}, 1), b = random_leaf({5, 3}, 2);
  expect_close("add", add(a, b), xt_reference::add(a, b));
  const Tensor c = random_leaf({2, 5, 3}, 3), x = random_leaf({7, 13}, 4, 3);
  expect_close("multiply", multiply(a, c), xt_reference::multiply(a, c));
  expect_close("relu", relu(x), xt_reference::relu(x));
  expect_close("gelu", gelu(x), xt_reference::gelu(x));
  expect_close("gelu_tanh", gelu_tanh(x), xt_reference::gelu_tanh(x));
  expect_close("silu", silu(x), xt_reference::silu(x));
  expect_close("sigmoid", sigmoid(x), xt_reference::sigmoid(x));
  expect_close("tanh", tanh(x), xt_reference::tanh(x));
  const Tensor factors = detach(random_leaf({7}, 5));
  expect_close("scale", scale(x, -1.75f), xt_reference::scale_rows(x, Tensor::full({7}, -1.75f)));
  expect_close("scale_rows", scale_rows(x, factors), xt_reference::scale_rows(x, factors));
}

TEST_CASE("elementwise: forward and gradients agree with PyTorch") {
  const auto sum = [](const Inputs& in) { return in[0] + in[1]; };
  check_case(ops_golden(), "add.same", {"a", "b"}, sum);
  check_case(ops_golden(), "add.repeated", {"a", "b"}, sum);
  check_case(ops_golden(), "multiply", {"a", "b"}, [](const Inputs& in) { return in[0] * in[1]; });
  check_case(ops_golden(), "scale", {"x"}, [](const Inputs& in) { return scale(in[0], -1.75f); });
  const Tensor factors = ops_golden()("scale_rows/factors");
  check_case(ops_golden(), "scale_rows", {"x"},
             [&](const Inputs& in) { return scale_rows(in[0], factors); });
  check_case(ops_golden(), "relu", {"x"}, [](const Inputs& in) { return relu(in[0]); });
  check_case(ops_golden(), "gelu", {"x"}, [](const Inputs& in) { return gelu(in[0]); });
  check_case(ops_golden(), "gelu_tanh", {"x"}, [](const Inputs& in) { return gelu_tanh(in[0]); });
  check_case(ops_golden(), "silu", {"x"}, [](const Inputs& in) { return silu(in[0]); });
  check_case(ops_golden(), "sigmoid", {"x"}, [](const Inputs& in) { return sigmoid(in[0]); });
  check_case(ops_golden(), "tanh", {"x"}, [](const Inputs& in) { return tanh(in[0]); });
}

TEST_CASE("add: the gradient of b has b's shape, also where b stands once") {
  const Tensor a = random_leaf({1, 3}, 5), row = random_leaf({3}, 7);
  Tape tape;
  const Gradients gradients = tape.backward(sum(a + row));
  CHECK(gradients.of(row).shape() == row.shape());
  CHECK(gradients.of(a).shape() == a.shape());
}

TEST_CASE("elementwise: backward matches finite differences") {
  const Tensor a = random_leaf({2, 5, 3}, 5), b = random_leaf({2, 5, 3}, 6);
  const Tensor row = random_leaf({3}, 7);
  check_gradients("add", {{"a", a}, {"b", b}}, [&] { return a + b; });
  check_gradients("add", {{"a", a}, {"row", row}}, [&] { return a + row; });
  check_gradients("multiply", {{"a", a}, {"b", b}}, [&] { return a * b; });
  check_gradients("multiply by itself", {{"a", a}}, [&] { return a * a; });
  check_gradients("scale", {{"a", a}}, [&] { return 1.5f * a; });
  const Tensor factors = detach(random_leaf({10}, 9));
  check_gradients("scale_rows", {{"a", a}}, [&] { return scale_rows(a, factors); });
  check_gradients("gelu", {{"a", a}}, [&] { return gelu(a); });
  check_gradients("gelu_tanh", {{"a", a}}, [&] { return gelu_tanh(a); });
  check_gradients("silu", {{"a", a}}, [&] { return silu(a); });
  check_gradients("sigmoid", {{"a", a}}, [&] { return sigmoid(a); });
  check_gradients("tanh", {{"a", a}}, [&] { return tanh(a); });
  Tensor smooth = random_leaf({4, 5}, 8);  // away from relu's kink
  for (std::ptrdiff_t i = 0; i < smooth.count(); ++i)
    copy_into(smooth, {smooth.values()[i] + (smooth.values()[i] < 0 ? -0.2f : 0.2f)}, i);
  check_gradients("relu", {{"x", smooth}}, [&] { return relu(smooth); });
}

TEST_CASE("relu: no gradient at 0") {
  const Tensor x = parameter(Tensor::from({3}, {-1, 0, 1}));
  Tape tape;
  const Gradients gradients = tape.backward(sum(relu(x)));
  expect_same("dx", gradients.of(x), Tensor::from({3}, {0, 0, 1}));
}

TEST_CASE("relu: NaN stays NaN") {
  CHECK(std::isnan(relu(Tensor::full({1}, std::nanf(""))).item()));
}

TEST_CASE("elementwise: large tensors take the parallel path and agree with small ones") {
  const Tensor x = random_leaf({3, 50000}, 9), row = random_leaf({50000}, 10);
  const Tensor y = gelu(x + row);
  for (int i = 0; i < 3; ++i) {
    const Tensor part = Tensor::from({50000}, {x.values().begin() + i * 50000, 50000});
    const Tensor expected = gelu(part + row);
    expect_close("row", Tensor::from({50000}, {y.values().begin() + i * 50000, 50000}), expected,
                 1e-6);
  }
}

TEST_CASE("elementwise: no elements, no rows: empty results and gradients of zeros") {
  const Tensor none = parameter(Tensor::zeros({0, 3})), narrow = Tensor::zeros({2, 0});
  const Tensor row = parameter(Tensor::zeros({3}));
  Tape tape;
  const Gradients gradients = tape.backward(sum(none + row));
  CHECK(gradients.of(none).shape() == Shape{0, 3});
  expect_same("drow", gradients.of(row), Tensor::zeros({3}));
  CHECK((narrow + narrow).shape() == Shape{2, 0});
  CHECK((narrow + Tensor::zeros({0})).shape() == Shape{2, 0});
  CHECK(gelu(narrow).shape() == Shape{2, 0});
}

TEST_CASE("elementwise: shapes that do not fit are refused with both shapes") {
  const Tensor a = Tensor::zeros({2, 3}), b = Tensor::zeros({3, 2});
  expect_error([&] { add(a, b); }, {"add: ", "(2, 3)", "(3, 2)"});
  expect_error([&] { add(zeros(3), a); }, {"add: ", "(3)", "(2, 3)"});
  expect_error([&] { multiply(a, b); }, {"multiply: ", "(2, 3)", "(3, 2)"});
  expect_error([&] { multiply(a, zeros(3)); }, {"multiply: ", "(2, 3)", "(3)"});
}

}  // namespace xf::test
