#include "08_transformer_xl/baselines/lstm.hpp"

#include <cmath>

#include "08_transformer_xl/baselines/any_stack.hpp"
#include "support/golden.hpp"
#include "support/language_models.hpp"
#include "tensor/xt_linalg.hpp"

namespace xf::test {

namespace {

xt::xtensor<float, 1> squashed(const xt::xtensor<float, 1>& x) { return 1 / (1 + xt::exp(-x)); }

}  // namespace

TEST_CASE("lstm_layer: one cell, one feature, two steps worked by hand") {
  auto layer = drawn<LstmLayer>(1, 1, 1);
  // Rows i, f, o, g of [x ; r].
  layer.gates.weight = parameter(Tensor::from({4, 2}, {1, 0, 0, 1, 2, 0, 1, 1}));
  layer.gates.bias = parameter(Tensor::from({4}, {0, 1, 0, 0}));
  layer.projection.weight = parameter(Tensor::from({1, 1}, {2}));
  const auto s = [](double x) { return 1 / (1 + std::exp(-x)); };
  const double c1 = s(1) * std::tanh(1.0), r1 = 2 * s(2) * std::tanh(c1);
  const double c2 = s(1 + r1) * c1 + s(-1) * std::tanh(-1 + r1);
  const double r2 = 2 * s(-2) * std::tanh(c2);
  Tensor state = Tensor::zeros({1, 1, 2});
  const Tensor shown = layer(Tensor::from({1, 2, 1}, {1, -1}), state);
  expect_close("r", shown, Tensor::from({1, 2, 1}, {float(r1), float(r2)}));
  expect_close("state", state, Tensor::from({1, 1, 2}, {float(r2), float(c2)}));
}

TEST_CASE("lstm_layer: agrees with its equations in xtensor") {
  auto layer = drawn<LstmLayer>(2, 3, 5);
  random_parameters(layer, 3);
  const Tensor x = random_leaf({1, 4, 3}, 4);
  Tensor state = random_leaf({1, 1, 8}, 5);
  const xt::xtensor<float, 2> in = to_xt<2>(x.view({4, 3})), w = to_xt<2>(layer.gates.weight),
                              w_p = to_xt<2>(layer.projection.weight);
  const xt::xtensor<float, 1> b = to_xt<1>(layer.gates.bias), before = to_xt<1>(state.view({8}));
  xt::xtensor<float, 1> r = xt::view(before, xt::range(0, 3)),
                        c = xt::view(before, xt::range(3, 8));
  const Tensor shown = layer(x, state);
  for (std::size_t t = 0; t < 4; ++t) {
    const xt::xtensor<float, 1> row = xt::row(in, static_cast<std::ptrdiff_t>(t));
    const xt::xtensor<float, 1> both = xt::concatenate(xt::xtuple(row, r));
    const xt::xtensor<float, 1> z = xt::linalg::dot(w, both) + b;
    const xt::xtensor<float, 1> i = xt::view(z, xt::range(0, 5)), f = xt::view(z, xt::range(5, 10));
    const xt::xtensor<float, 1> o = xt::view(z, xt::range(10, 15)),
                                g = xt::view(z, xt::range(15, 20));
    c = squashed(f) * c + squashed(i) * xt::tanh(g);
    const xt::xtensor<float, 1> open = squashed(o) * xt::tanh(c);
    r = xt::linalg::dot(w_p, open);
    expect_close("r", slice(shown, 1, static_cast<int>(t), 1).view({3}), from_xt<1>(r), 1e-5);
  }
}

TEST_CASE("lstm_layer: two calls, the state carried, agree with PyTorch, and every gradient") {
  auto layer = drawn<LstmLayer>(1, 6, 8);
  check_layer("lstm_layer", {"x", "state"}, parameters(layer), [&](const Inputs& in) {
    Tensor state = in[1];
    const Tensor first = layer(slice(in[0], 1, 0, 3), state);   // (2, 3, 6)
    const Tensor second = layer(slice(in[0], 1, 3, 2), state);  // (2, 2, 6)
    const Tensor shown = reshape(concat(first, second, 1), {2, 30});
    return concat(shown, reshape(state, {2, 14}), 1);
  });
}

TEST_CASE("lstm: two segments with the state carried are one long segment") {
  AnySegmentModel model = lively_model(small("post", ModelKind::lstm), 1);
  const Ids all = random_ids({2, 6}, 9, 2);
  Memory memory = model.start(), whole = model.start();
  const Tensor first = model.hidden(columns(all, 0, 4), memory);
  const Tensor second = model.hidden(columns(all, 4, 6), memory);
  expect_close("hidden", concat(first, second, 1), model.hidden(all, whole), 1e-6);
  CHECK(memory.layers[0].states.shape() == Shape{2, 1, AnyStack::memory_width(model.config)});
}

TEST_CASE("lstm: gradients match finite differences, and stop at the segment's beginning") {
  TransformerXlConfig config = small("post", ModelKind::lstm);
  config.layers = 1;
  AnySegmentModel model = lively_model(config, 1);
  check_second_segment("lstm", model);
}

TEST_CASE("lstm_layer: what does not fit is refused") {
  const auto layer = drawn<LstmLayer>(1, 3, 5);
  const auto refused = [&](const Shape& x, const Shape& before,
                           std::initializer_list<const char*> words) {
    Tensor state = Tensor::zeros(before);
    expect_error([&] { layer(Tensor::zeros(x), state); }, words);
  };
  refused({2, 4, 2}, {2, 1, 8}, {"linear: ", "(2, 1, 4)", "(20, 6)"});
  refused({2, 4, 3}, {1, 1, 8}, {"concat: ", "(2, 1, 3)", "(1, 1, 3)"});
  refused({2, 4, 3}, {2, 1, 7}, {"slice: ", "[3, 8)", "(2, 1, 7)"});
}

}  // namespace xf::test
