#include "ops/relative_shift/relative_shift.hpp"

#include <limits>

#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

namespace {

// The published trick, word by word: pad, view, drop a row, view.   x: (N, T, S)
Tensor pad_and_view(const Tensor& x) {
  const int n = x.size(0), t = x.size(1), s = x.size(2);
  const Tensor padded = concat(Tensor::zeros({n, t, 1}), x, 2);       // (N, T, S+1)
  return slice(padded.view({n, s + 1, t}), 1, 1, s).view({n, t, s});  // (N, T, S)
}

// 1 where query i may see key j.   returns (1, T, S)
Mask below_diagonal(int t, int s) {
  Ids allowed = Ids::full({1, t, s}, 0);
  for (int i = 0; i < t; ++i) std::fill_n(allowed.begin() + i * s, s - t + i + 1, 1);
  return {allowed};
}

}  // namespace

TEST_CASE("relative_shift: worked by hand, the garbage included") {
  const Tensor x = Tensor::from({3, 5}, {0, 1, 2, 3, 4,       //
                                         10, 11, 12, 13, 14,  //
                                         20, 21, 22, 23, 24});
  expect_same("y", relative_shift(x),
              Tensor::from({3, 5}, {2, 3, 4, 0, 10,     //
                                    11, 12, 13, 14, 0,  //
                                    20, 21, 22, 23, 24}));
  expect_same("one row", relative_shift(Tensor::from({1, 2}, {5, 6})),
              Tensor::from({1, 2}, {5, 6}));
  expect_same("no memory", relative_shift(Tensor::from({2, 2}, {1, 2, 3, 4})),
              Tensor::from({2, 2}, {2, 0, 3, 4}));
}

TEST_CASE("relative_shift: every key gets the number of its distance") {
  for (const auto& [t, s] : {std::pair{4, 9}, std::pair{5, 5}, std::pair{1, 6}, std::pair{6, 7}}) {
    Tensor x = Tensor::empty({2, 3, t, s});
    for (std::ptrdiff_t i = 0; i < x.count(); ++i)
      copy_into(x, {static_cast<float>(100 * (i / s) + (s - 1 - i % s))}, i);  // 100 row + distance
    const Tensor y = relative_shift(x);
    for (int row = 0; row < 2 * 3 * t; ++row)
      for (int j = 0, i = row % t; j <= i + s - t; ++j)
        CHECK(y.values()[row * s + j] == static_cast<float>(100 * row + s - t + i - j));
  }
}

TEST_CASE("relative_shift: agrees with padding and viewing, garbage included") {
  for (const auto& [t, s] : {std::pair{3, 5}, std::pair{7, 7}, std::pair{1, 4}, std::pair{2, 9}}) {
    const Tensor x = random_leaf({4, t, s}, 1);
    expect_same("y", relative_shift(x), pad_and_view(x));
  }
}

TEST_CASE("relative_shift: agrees with the xtensor formula, garbage included") {
  for (const auto& [t, s] : {std::pair{3, 5}, std::pair{7, 7}, std::pair{1, 4}, std::pair{2, 9}}) {
    const Tensor x = random_leaf({t, s}, 1);
    expect_same("y", relative_shift(x), xt_reference::relative_shift(x));
  }
}

TEST_CASE("relative_shift: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "relative_shift", {"x"},
             [](const Inputs& in) { return relative_shift(in[0]); });
}

TEST_CASE("relative_shift: backward matches finite differences") {
  for (const auto& [t, s] : {std::pair{3, 5}, std::pair{4, 4}, std::pair{1, 4}}) {
    const Tensor x = random_leaf({2, 2, t, s}, 2);
    check_gradients("relative_shift", {{"x", x}}, [&] { return relative_shift(x); });
  }
}

TEST_CASE("relative_shift: under the mask, NaN above the diagonal changes nothing") {
  const int t = 4, s = 7;
  const Mask mask = below_diagonal(t, s);
  const Tensor x = random_leaf({2, 3, t, s}, 3);
  const Tensor clean = softmax(relative_shift(x), {.scale = 0.5f, .mask = mask});

  Tensor shifted = relative_shift(x).clone();  // poison what the shift left there …
  Tensor unused = x.clone();                   // … or what it took it from
  for (int row = 0; row < 2 * 3 * t; ++row) {
    const int i = row % t;
    for (int j = i + s - t + 1; j < s; ++j)
      copy_into(shifted, {std::numeric_limits<float>::quiet_NaN()}, row * s + j);
    for (int c = 0; c < t - 1 - i; ++c)
      copy_into(unused, {std::numeric_limits<float>::quiet_NaN()}, row * s + c);
  }
  expect_same("poisoned", softmax(shifted, {.scale = 0.5f, .mask = mask}), clean);
  expect_same("poisoned before the shift",
              softmax(relative_shift(unused), {.scale = 0.5f, .mask = mask}), clean);

  const Tensor weights = detach(random_leaf(x.shape(), 4));
  const auto gradient = [&](const Tensor& leaf) {
    Tape tape;
    const Tensor y = softmax(relative_shift(leaf), {.scale = 0.5f, .mask = mask});
    return tape.backward(weighted_sum(y, weights)).of(leaf);
  };
  const Tensor poisoned = parameter(unused), dx = gradient(x);
  expect_same("gradient", gradient(poisoned), dx);
  for (int row = 0; row < 2 * 3 * t; ++row)
    for (int c = 0; c < t - 1 - row % t; ++c) CHECK(dx.values()[row * s + c] == 0);
}

TEST_CASE("relative_shift: fewer keys than queries are refused, with the shape") {
  expect_error([] { relative_shift(zeros(2, 4, 3)); }, {"relative_shift: ", "(2, 4, 3)"});
  expect_error([] { relative_shift(zeros(4)); }, {"relative_shift: ", "(4)"});
}

}  // namespace xf::test
