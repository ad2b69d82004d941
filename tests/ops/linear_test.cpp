#include "ops/linear/linear.hpp"

#include "ops/matmul/decoding_session.hpp"
#include "ops/shape/shape_ops.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("linear: y = x W^T + b, worked by hand") {
  const Tensor x = Tensor::from({2, 2}, {1, 2, 3, 4});
  const Tensor weight = Tensor::from({3, 2}, {1, 0, 0, 1, 1, -1});
  const Tensor bias = Tensor::from({3}, {10, 20, 30});
  expect_same("with bias", linear(x, weight, bias), Tensor::from({2, 3}, {11, 22, 29, 13, 24, 29}));
  expect_same("without", linear(x, weight, {}), Tensor::from({2, 3}, {1, 2, -1, 3, 4, -1}));
}

TEST_CASE("linear: agrees with the xtensor formula, on few rows and on many") {
  for (int rows : {1, 2, 5, 8, 9, 300}) {
    const Tensor x = random_leaf({rows, 70}, 1);
    const Tensor weight = random_leaf({33, 70}, 2), bias = random_leaf({33}, 3);
    expect_close("linear", linear(x, weight, bias), xt_reference::linear(x, weight, bias));
  }
}

TEST_CASE("linear: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "linear.bias", {"x", "weight", "bias"},
             [](const Inputs& in) { return linear(in[0], in[1], in[2]); });
  check_case(ops_golden(), "linear.no_bias", {"x", "weight"},
             [](const Inputs& in) { return linear(in[0], in[1], {}); });
}

TEST_CASE("linear: backward matches finite differences") {
  const Tensor x = random_leaf({2, 3, 4}, 4);
  const Tensor weight = random_leaf({5, 4}, 5), bias = random_leaf({5}, 6);
  check_gradients("linear", {{"x", x}, {"weight", weight}, {"bias", bias}},
                  [&] { return linear(x, weight, bias); });
  check_gradients("linear, no bias", {{"x", x}, {"weight", weight}},
                  [&] { return linear(x, weight, {}); });
  const Tensor square = random_leaf({4, 4}, 7);  // the same weight twice
  check_gradients("linear, weight used twice", {{"x", x}, {"weight", square}},
                  [&] { return linear(linear(x, square, {}), square, {}); });
}

TEST_CASE("linear: several layers on one x are each layer alone") {
  const Tensor none;
  for (int in : {70, 300})
    for (int rows : {1, 2, 40}) {
      const Tensor x = random_leaf({rows, in}, 1), bias = random_leaf({300}, 5);
      const Tensor a = random_leaf({300, in}, 2), b = random_leaf({7, in}, 3);
      const Tensor c = random_leaf({501, in}, 4);
      const auto check = [&] {
        const std::vector<Tensor> y = linear(x, {{a, bias}, {b, none}, {c, none}});
        expect_close("first", y.at(0), linear(x, a, bias));
        expect_close("second", y.at(1), linear(x, b, none));
        expect_close("third", y.at(2), linear(x, c, none));
      };
      check();
      const Tape tape;
      check();
    }
  const Tensor x = random_leaf({2, 4}, 1), a = random_leaf({5, 4}, 2), b = random_leaf({3, 4}, 3);
  check_gradients("several", {{"x", x}, {"a", a}, {"b", b}}, [&] {
    const std::vector<Tensor> y = linear(x, {{a, none}, {b, none}});
    return concat(y.at(0), y.at(1), 1);
  });
}

TEST_CASE("linear: in a decoding session it gives the same, however often") {
  const Tensor weight = random_leaf({300, 70}, 2), bias = random_leaf({300}, 3);
  const DecodingSession session({weight});
  for (int use = 0; use < 3; ++use)
    for (int rows : {1, 2, 32, 100, 400}) {
      const Tensor x = random_leaf({rows, 70}, rows + use);
      expect_close("bias", linear(x, weight, bias), xt_reference::linear(x, weight, bias));
      expect_close("none", linear(x, weight, {}),
                   xt_reference::linear(x, weight, Tensor::zeros({300})));
    }
}

TEST_CASE("linear: a decoding session and a tape see that weights have changed") {
  Tensor weight = random_leaf({300, 70}, 2);
  const Tensor x = random_leaf({20, 70}, 1);
  const auto right = [&] {
    expect_close("linear", linear(x, weight, {}),
                 xt_reference::linear(x, weight, Tensor::zeros({300})));
  };
  for (int round = 0; round < 3; ++round) {
    {
      const DecodingSession outer({weight});
      const std::shared_ptr<void> form = weight.form();
      CHECK(form != nullptr);
      {
        const DecodingSession inner({weight}, WeightPrecision::int8);
        for (int use = 0; use < 3; ++use) right();
      }
      CHECK(weight.form() == form);
      for (int use = 0; use < 3; ++use) right();
      weight.data(Cpu{})[round] += 1;
      for (int use = 0; use < 3; ++use) right();
    }
    CHECK(weight.form() == nullptr);
    right();
  }
  const DecodingSession session({weight});
  for (int i = 0; i < 3; ++i) right();
  weight.data(Cpu{})[7] += 1;
  const Tape tape;
  right();
}

TEST_CASE("gemm: a decoding session keeps its weights only, from the second use on") {
  const Tensor weight = random_leaf({300, 70}, 2), other = random_leaf({300, 70}, 3),
               small = random_leaf({30, 70}, 4);
  const DecodingSession session({weight, small});
  const auto w = [](const Tensor& x) {
    return kernel::Matrix{x.data(Cpu{}), x.size(0), x.size(1), x.size(1), false, &x.form()};
  };
  const kernel::Matrix b = w(weight).transpose();
  const std::shared_ptr<kernel::KeptWeight> kept = kernel::kept(b);
  REQUIRE(kept != nullptr);
  CHECK(kept->form() == kernel::WeightForm::panels);
  CHECK(kept->panels(b) == nullptr);
  CHECK(kept->panels(b) != nullptr);
  CHECK(kept->panels(b) == kept->panels(b));
  CHECK(kernel::kept(b) == kept);
  CHECK(kernel::kept(w(other).transpose()) == nullptr);
  CHECK(kernel::kept(w(small).transpose()) == nullptr);
  CHECK(kernel::kept(w(weight)) == nullptr);               // W, not its transpose
  CHECK(kernel::kept(b.columns_from(0, 299)) == nullptr);  // not all of it
  CHECK(kernel::kept(w(weight.view({70, 300})).transpose()) == nullptr);
}

TEST_CASE("linear: sizes that do not fit are refused with both shapes") {
  const Tensor weight = Tensor::zeros({5, 4});
  expect_error([&] { linear(zeros(2, 3), weight, {}); }, {"linear: ", "(2, 3)", "(5, 4)"});
  expect_error([&] { linear(zeros(2, 4), weight, zeros(4)); }, {"linear: ", "(4)", "(5, 4)"});
  expect_error([&] { linear(zeros(2, 4), zeros(4), {}); }, {"linear: ", "(2, 4)", "(4)"});
  expect_error(
      [&] {
        const Tensor none, fits = zeros(2, 3);
        linear(zeros(1, 3), {{fits, none}, {weight, none}});
      },
      {"linear: ", "(1, 3)", "(5, 4)"});
}

}  // namespace xf::test
