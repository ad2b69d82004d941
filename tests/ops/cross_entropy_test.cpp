#include "ops/cross_entropy/cross_entropy.hpp"

#include "ops/elementwise/elementwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("cross_entropy: worked by hand") {
  // p = (1/7, 2/7, 4/7) in both rows; the targets have 2/7 and 4/7.
  const float ln2 = std::log(2.0f), ln7 = std::log(7.0f);
  const Tensor logits = Tensor::from({2, 3}, {0, ln2, 2 * ln2, 3, 3 + ln2, 3 + 2 * ln2});
  const Ids targets({2}, {1, 2});
  expect_close("mean", cross_entropy(logits, targets), Tensor::full({}, ln7 - 1.5f * ln2));
  expect_close("divisor", cross_entropy(logits, targets, {.divisor = 4}),
               Tensor::full({}, (2 * ln7 - 3 * ln2) / 4));
  expect_close("ignore", cross_entropy(logits, targets, {.ignore = 1}),
               Tensor::full({}, ln7 - 2 * ln2));
  // The mean of -log p over the vocabulary is ln 7 - ln 2 in each row.
  expect_close("smoothing", cross_entropy(logits, targets, {.smoothing = 0.3f}),
               Tensor::full({}, 0.7f * (ln7 - 1.5f * ln2) + 0.3f * (ln7 - ln2)));
}

TEST_CASE("cross_entropy: logits without a preference cost ln V") {
  const Tensor loss = cross_entropy(Tensor::full({4, 10}, 3), Ids({4}, {0, 3, 9, 5}));
  expect_close("ln V", loss, Tensor::full({}, std::log(10.0f)));
}

TEST_CASE("cross_entropy: agrees with the xtensor formula") {
  const Tensor logits = random_leaf({5, 37}, 1, 3);
  const Ids targets({5}, {0, 36, 4, 4, 17});
  for (float smoothing : {0.0f, 0.1f})
    expect_close("loss", cross_entropy(logits, targets, {.smoothing = smoothing}),
                 Tensor::full({}, xt_reference::cross_entropy(logits, targets, smoothing)));
}

TEST_CASE("cross_entropy: forward and gradients agree with PyTorch") {
  const std::vector<std::pair<std::string, CrossEntropyOptions>> cases = {
      {"plain", {}},
      {"smooth", {.smoothing = 0.1f}},
      {"ignore", {.ignore = 0}},
      {"ignore_smooth", {.ignore = 0, .smoothing = 0.1f}},
      {"divisor", {.ignore = 0, .smoothing = 0.1f, .divisor = 13}}};
  for (const auto& [name, options] : cases) {
    const std::string label = "cross_entropy." + name;
    const Ids targets = ops_golden().ids(label + "/targets");
    check_case(ops_golden(), label, {"logits"},
               [&, how = options](const Inputs& in) { return cross_entropy(in[0], targets, how); });
    const Tensor& logits = ops_golden()(label + "/logits");
    const std::vector<float> log_p = log_likelihood(logits, targets, options.ignore);
    expect_close("log_likelihood", Tensor::from({static_cast<int>(log_p.size())}, log_p),
                 ops_golden()(label + "/log_likelihood"));
    expect_close("log_softmax", log_softmax(logits), ops_golden()(label + "/log_softmax"));
    Tensor own = logits + Tensor::zeros(logits.shape());
    const Storage* memory = own.key();
    const Tensor in_place = log_softmax_in_place(std::move(own));
    CHECK(in_place.key() == memory);
    CHECK(in_place.values() == log_softmax(logits).values());
  }
}

TEST_CASE("cross_entropy: backward matches finite differences") {
  const Tensor logits = random_leaf({2, 3, 5}, 2);
  const Ids targets({2, 3}, {4, 0, 2, 0, 1, 1});
  for (const CrossEntropyOptions& options :
       {CrossEntropyOptions{}, {.ignore = 0}, {.ignore = 1, .smoothing = 0.2f, .divisor = 2}})
    check_gradients("cross_entropy", {{"logits", logits}},
                    [&] { return cross_entropy(logits, targets, options); });
}

TEST_CASE("cross_entropy: an ignored row gets no gradient, a counted row one that sums to zero") {
  const Tensor logits = random_leaf({3, 5}, 3);
  Tape tape;
  const Gradients gradients =
      tape.backward(cross_entropy(logits, Ids({3}, {2, 0, 4}), {.ignore = 0, .smoothing = 0.1f}));
  const Values dlogits = gradients.of(logits).values();
  for (int row = 0; row < 3; ++row) {
    double total = 0, size = 0;
    for (int v = 0; v < 5; ++v)
      total += dlogits[row * 5 + v], size += std::abs(dlogits[row * 5 + v]);
    CHECK(std::abs(total) < 1e-6);
    CHECK((size == 0) == (row == 1));
  }
}

TEST_CASE("cross_entropy: only ignored rows give zero, not NaN") {
  const Tensor logits = random_leaf({2, 3}, 4);
  Tape tape;
  const Tensor loss = cross_entropy(logits, Ids({2}, {0, 0}), {.ignore = 0});
  expect_same("loss", loss, Tensor::full({}, 0));
  expect_same("dlogits", tape.backward(loss).of(logits), Tensor::zeros({2, 3}));
}

TEST_CASE("cross_entropy: large logits do not overflow") {
  const Tensor logits = Tensor::from({2, 2}, {1e4f, 0, -1e4f, 1e4f});
  expect_close("loss", cross_entropy(logits, Ids({2}, {0, 0})), Tensor::full({}, 1e4f));
}

TEST_CASE("cross_entropy: the targets of a batch may be (B, T) or flat") {
  const Tensor logits = random_leaf({2, 3, 4}, 5);
  expect_same("shape", cross_entropy(logits, Ids({2, 3}, {0, 1, 2, 3, 2, 1})),
              cross_entropy(logits, Ids({6}, {0, 1, 2, 3, 2, 1})));
}

TEST_CASE("cross_entropy: bad targets and shapes are refused, named in the message") {
  const Tensor logits = Tensor::zeros({2, 3});
  expect_error(
      [&] {
        cross_entropy(logits, Ids({3}, {0, 1, 2}));
      },
      {"cross_entropy: ", "(2, 3)", "(3)"});
  expect_error([&] { cross_entropy(logits, Ids({2}, {0, 3})); }, {"cross_entropy: ", "3"});
  expect_error([&] { cross_entropy(logits, Ids({2}, {-2, 0})); }, {"cross_entropy: ", "-2", "3"});
  expect_error([&] { log_likelihood(logits, Ids({2}, {0, 3})); }, {"log_likelihood: ", "3"});
}

TEST_CASE("cross_entropy_in_place: the same loss and gradient, and logits that are shared stay") {
  const Tensor x = random_leaf({5, 37}, 1), w = random_leaf({29, 37}, 2);
  const Ids targets({5}, {3, 0, 28, 0, 7});
  for (const CrossEntropyOptions& options :
       {CrossEntropyOptions{.ignore = 0, .smoothing = 0.1f}, {.ignore = 0}, {.divisor = 7}}) {
    Tape tape;
    const Tensor kept = matmul(x, w, Transpose::yes), copy = kept.clone();
    const Tensor plain = cross_entropy(kept, targets, options);
    const Gradients expected = tape.backward(scale(plain, 3));
    expect_same("the logits", kept, copy);

    const Tensor loss = cross_entropy_in_place(matmul(x, w, Transpose::yes), targets, options);
    // In `fast`, OpenBLAS need not repeat its sums.
    const double gap = arithmetic() == Arithmetic::same ? 0 : 1e-6;
    expect_close("loss", loss, plain, gap);
    const Gradients found = tape.backward(scale(loss, 3));
    expect_close("dx", found.of(x), expected.of(x), 1e-6);
    expect_close("dw", found.of(w), expected.of(w), 1e-6);

    Tensor shared = matmul(x, w, Transpose::yes);
    const Tensor other = shared;
    const Tensor again = cross_entropy_in_place(std::move(shared), targets, options);
    expect_same("loss, shared", again, plain);
    expect_same("shared logits", other, copy);
  }
}

TEST_CASE("cross_entropy_in_place: large logits do not overflow, and NaN stays NaN") {
  const Tensor large = parameter(Tensor::from({2, 2}, {1e4f, 0, -1e4f, 1e4f}));
  Tape tape;
  const Tensor loss = cross_entropy_in_place(scale(large, 1), Ids({2}, {0, 0}));
  expect_close("loss", loss, Tensor::full({}, 1e4f));
  expect_close("dlogits", tape.backward(loss).of(large), Tensor::from({2, 2}, {0, 0, -0.5f, 0.5f}));
  const Tensor broken = parameter(Tensor::from({1, 2}, {std::nanf(""), 0}));
  CHECK(std::isnan(cross_entropy_in_place(scale(broken, 1), Ids({1}, {1})).item()));
}

}  // namespace xf::test
