#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

TEST_CASE("token_embedding: rows times sqrt(D), worked by hand") {
  auto layer = drawn<TokenEmbedding>(1, 3, 4);
  layer.weight = parameter(Tensor::from({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  expect_same("y", layer(Ids({1, 2}, {2, 0})),
              Tensor::from({1, 2, 4}, {18, 20, 22, 24, 2, 4, 6, 8}));
}

TEST_CASE("token_embedding with positions: forward and gradients agree with PyTorch") {
  auto layer = drawn<TokenEmbedding>(1, 8, 6);
  const Ids ids = layers_golden().ids("token_embedding/ids");
  check_layer("token_embedding", {}, parameters(layer),
              [&](const Inputs&) { return add_positions(layer(ids)); });
}

TEST_CASE("token_embedding: backward matches finite differences") {
  auto layer = drawn<TokenEmbedding>(1, 7, 4);
  const Ids ids({2, 3}, {1, 6, 1, 0, 3, 3});
  check_gradients("token_embedding", random_parameters(layer, 2), [&] { return layer(ids); });
}

TEST_CASE("token_embedding: an id outside the table is refused") {
  const auto layer = drawn<TokenEmbedding>(1, 3, 4);
  expect_error([&] { layer(Ids({1, 1}, {3})); }, {"embedding: ", "3"});
}

TEST_CASE("positions: worked by hand, in the three layouts") {
  // D = 4: the frequencies are 1 and 1/100; with the divisor D - 2, 1 and 1/10000.
  const auto s = [](double x) { return static_cast<float>(std::sin(x)); };
  const auto c = [](double x) { return static_cast<float>(std::cos(x)); };
  const auto at_three = [](PositionLayout layout) { return sinusoidal_positions(1, 4, 3, layout); };
  expect_close("interleaved", at_three(PositionLayout::interleaved),
               Tensor::from({1, 4}, {s(3), c(3), s(0.03), c(0.03)}));
  expect_close("halves", at_three(PositionLayout::halves),
               Tensor::from({1, 4}, {s(3), s(0.03), c(3), c(0.03)}));
  expect_close("d - 2", at_three(PositionLayout::halves_d_minus_2),
               Tensor::from({1, 4}, {s(3), s(0.0003), c(3), c(0.0003)}));
}

TEST_CASE("positions: later rows are what a table that starts later begins with") {
  const Tensor table = sinusoidal_positions(10, 6);
  expect_same("rows 4 to 6", sinusoidal_positions(3, 6, 4), slice(table, 0, 4, 3));
}

TEST_CASE("positions: a table gives what is computed, within it and beyond its end") {
  const PositionTable table(10, 6);
  for (int first : {0, 4, 7, 8, 10, 50})
    expect_same("three from " + std::to_string(first), table({first, first + 1, first + 2}),
                sinusoidal_positions(3, 6, first));
  expect_same("in any order", table({11, 2}),
              concat(sinusoidal_positions(1, 6, 11), sinusoidal_positions(1, 6, 2), 0));
}

TEST_CASE("positions: PE(pos + k) = R_k PE(pos), a rotation that depends on k only") {
  const int d = 16;
  for (int k : {1, 5, 40})
    for (int position : {0, 3, 77}) {
      const Tensor from = sinusoidal_positions(1, d, position);
      const Tensor to = sinusoidal_positions(1, d, position + k);
      Tensor rotated = Tensor::empty({1, d});
      for (int i = 0; i < d; i += 2) {
        const double angle = k / std::pow(10000.0, double(i) / d);
        const double sine = from.values()[i], cosine = from.values()[i + 1];
        copy_into(rotated,
                  {static_cast<float>(std::cos(angle) * sine + std::sin(angle) * cosine),
                   static_cast<float>(-std::sin(angle) * sine + std::cos(angle) * cosine)},
                  i);
      }
      expect_close("R_k PE(pos)", rotated, to);
    }
}

TEST_CASE("positions: sizes without an encoding are refused") {
  expect_error([] { sinusoidal_positions(3, 5); }, {"sinusoidal_positions: ", "5"});
  expect_error([] { sinusoidal_positions(3, 2, 0, PositionLayout::halves_d_minus_2); },
               {"sinusoidal_positions: ", "2"});
}

TEST_CASE("learned positions: added to every sentence, with the gradient of their sum") {
  auto layer = drawn<LearnedPositions>(1, 4, 2);
  const Tensor x = random_leaf({2, 3, 2}, 3);
  check_gradients("learned", {{"x", x}, {"weight", layer.weight}}, [&] { return layer(x); });
  Tape tape;
  const Gradients gradients = tape.backward(sum(layer(x)));
  expect_same("dweight", gradients.of(layer.weight),
              Tensor::from({4, 2}, {2, 2, 2, 2, 2, 2, 0, 0}));  // the last position was not used
  expect_error([&] { layer(zeros(1, 5, 2)); }, {"slice: ", "(4, 2)"});
}

TEST_CASE("learned positions: forward and gradients agree with PyTorch") {
  auto layer = drawn<LearnedPositions>(1, 7, 6);
  check_layer("learned_positions", {"x"}, parameters(layer),
              [&](const Inputs& in) { return layer(in[0]); });
}

}  // namespace xf::test
