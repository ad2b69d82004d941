#include "ops/rotary/rotary.hpp"

#include "ops/elementwise/elementwise.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

namespace {

// (T, 2 A): the cosines and sines of A random angles a position.
Tensor random_turns(int positions, int angles, std::uint64_t seed) {
  const std::vector<float> drawn = random_leaf({positions * angles}, seed, 3).values();
  std::vector<float> numbers;
  for (int t = 0; t < positions; ++t)
    for (int part = 0; part < 2; ++part)
      for (int i = 0; i < angles; ++i) {
        const float angle = drawn[static_cast<std::size_t>(t * angles + i)];
        numbers.push_back(part == 0 ? std::cos(angle) : std::sin(angle));
      }
  return Tensor::from({positions, 2 * angles}, numbers);
}

}  // namespace

TEST_CASE("rotate: worked by hand") {
  // Two heads of two pairs; position 0 is not turned, position 1 a quarter and a half turn.
  const Tensor x = Tensor::from({1, 2, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor turns = Tensor::from({2, 4}, {1, 1, 0, 0, 0, -1, 1, 0});
  expect_close("y", rotate(x, turns),
               Tensor::from({1, 2, 8}, {1, 2, 3, 4, 5, 6, 7, 8, -3, -2, 1, -4, -7, -6, 5, -8}));
}

TEST_CASE("rotate: agrees with the xtensor formula") {
  for (int half : {1, 3, 16, 32}) {
    const Tensor x = random_leaf({5, 2 * half}, 1), turns = random_turns(5, half, 2);
    const Tensor y = rotate(x.view({1, 5, 2 * half}), turns);
    expect_close("rotate", y.view({5, 2 * half}), xt_reference::rotate(x, turns));
  }
}

TEST_CASE("rotate: forward and gradient agree with PyTorch") {
  const Tensor turns = ops_golden()("rotate/turns");
  check_case(ops_golden(), "rotate", {"x"}, [&](const Inputs& in) { return rotate(in[0], turns); });
}

TEST_CASE("rotate: backward matches finite differences") {
  const Tensor x = random_leaf({2, 3, 12}, 4), turns = random_turns(3, 2, 5);
  check_gradients("rotate", {{"x", x}}, [&] { return rotate(x, turns); });
}

TEST_CASE("rotate: sizes that do not fit are refused") {
  const auto refused = [](const Shape& x, const Shape& turns) {
    expect_error([&] { rotate(Tensor::zeros(x), Tensor::zeros(turns)); },
                 {"rotate: ", x.str().c_str(), turns.str().c_str()});
  };
  refused({1, 2, 8}, {3, 4});  // other positions
  refused({1, 2, 9}, {2, 3});  // no pairs
  refused({1, 2, 8}, {2, 6});  // no whole heads
  refused({2, 8}, {2, 4});
}

}  // namespace xf::test
