#include "08_transformer_xl/adaptive_softmax.hpp"

#include "support/golden.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

namespace {

AdaptiveSoftmax lively(const std::vector<int>& cutoffs, std::uint64_t seed) {
  auto output = drawn<AdaptiveSoftmax>(seed, 9, 4, cutoffs);
  random_parameters(output, seed, 0.7);
  return output;
}

}  // namespace

TEST_CASE("adaptive softmax: the probabilities of all words add up to 1") {
  const Tensor h = random_leaf({2, 3, 4}, 1);
  for (const std::vector<int>& cutoffs : {std::vector<int>{4}, {2, 5}, {1, 2, 8}}) {
    const Tensor log_p = lively(cutoffs, 2).logits(h);
    REQUIRE(log_p.shape() == Shape{2, 3, 9});
    for (int row = 0; row < 6; ++row) {
      double sum = 0;
      for (int v = 0; v < 9; ++v) sum += std::exp(double(log_p.values()[row * 9 + v]));
      CHECK(std::abs(sum - 1) < 1e-6);
    }
  }
}

TEST_CASE("adaptive softmax: loss and log-likelihood are those of the whole distribution") {
  const Tensor h = random_leaf({2, 4, 4}, 1);
  const Ids targets({2, 4}, {0, 3, 4, 8, 5, 1, 2, 6});
  for (const std::vector<int>& cutoffs : {std::vector<int>{}, {4}, {2, 5}, {1, 2, 8}}) {
    const AdaptiveSoftmax output = lively(cutoffs, 2);
    const Tensor log_p = log_softmax(output.logits(h));
    for (std::int32_t ignore : {-1, 0, 5}) {
      const std::vector<float> each = output.log_likelihood(h, targets, ignore);
      double sum = 0;
      int counted = 0;
      for (int row = 0; row < 8; ++row) {
        const int id = targets[row];
        const double want = id == ignore ? 0 : log_p.values()[row * 9 + id];
        CHECK(std::abs(each[static_cast<std::size_t>(row)] - want) < 2e-6);
        sum += want;
        counted += id != ignore;
      }
      CHECK(output.loss(h, targets, {.ignore = ignore}).item() ==
            doctest::Approx(-sum / counted).epsilon(1e-6));
      CHECK(output.loss(h, targets, {.ignore = ignore, .divisor = 3}).item() ==
            doctest::Approx(-sum / 3).epsilon(1e-6));
    }
  }
}

TEST_CASE("adaptive softmax: two words and a cluster of two, worked by hand") {
  auto output = drawn<AdaptiveSoftmax>(1, 4, 1, std::vector{2});
  output.weight = parameter(Tensor::from({4, 1}, {0, 1, 2, 1}));
  output.bias = parameter(Tensor::from({4}, {0, 0, 0, 1}));
  output.cluster_weight = parameter(Tensor::from({1, 1}, {1}));
  output.cluster_bias = parameter(Tensor::from({1}, {-1}));
  // h = 1: the head's entries are 0, 1 and 1 - 1 for the cluster; in it 2 and 1 + 1, equal.
  const double e = std::exp(1.0);
  const Tensor h = Tensor::from({1, 1}, {1});
  CHECK(output.loss(h, Ids({1}, {1})).item() == doctest::Approx(-std::log(e / (2 + e))));
  CHECK(output.loss(h, Ids({1}, {3})).item() == doctest::Approx(-std::log(0.5 / (2 + e))));
}

TEST_CASE("adaptive softmax: forward and every named gradient agree with PyTorch") {
  auto output = drawn<AdaptiveSoftmax>(1, 9, 6, std::vector{2, 5});
  const Ids targets = layers_golden().ids("adaptive_softmax/targets");
  check_layer("adaptive_softmax", {"h"}, parameters(output),
              [&](const Inputs& in) { return output.loss(in[0], targets, {.ignore = 3}); });
  const Tensor h = layers_golden()("adaptive_softmax/h"),
               log_p = layers_golden()("adaptive_softmax/log_p");
  expect_close("log_p", output.logits(h), log_p);
  std::vector<float> picked;
  for (int row = 0; row < 8; ++row) picked.push_back(log_p.values()[row * 9 + targets[row]]);
  expect_close("log_likelihood", Tensor::from({8}, output.log_likelihood(h, targets)),
               Tensor::from({8}, picked));
}

TEST_CASE("adaptive softmax: backward matches finite differences") {
  for (const std::vector<int>& cutoffs : {std::vector<int>{}, {4}, {2, 5}}) {
    auto output = drawn<AdaptiveSoftmax>(1, 9, 4, cutoffs);
    auto leaves = random_parameters(output, 2);
    const Tensor h = random_leaf({2, 4, 4}, 3);
    leaves.emplace_back("h", h);
    const Ids targets({2, 4}, {0, 3, 4, 8, 5, 1, 2, 6});
    check_gradients("adaptive softmax", leaves,
                    [&] { return output.loss(h, targets, {.ignore = 3, .divisor = 1}); });
  }
}

TEST_CASE("adaptive softmax: a cluster without targets costs nothing and counts nothing") {
  const AdaptiveSoftmax output = lively({2, 5}, 2);
  const Tensor h = random_leaf({3, 4}, 1);
  Tape tape;
  const Tensor loss = output.loss(h, Ids({3}, {0, 3, 4}));
  const Gradients gradients = tape.backward(loss);
  CHECK(largest(slice(gradients.of(output.weight), 0, 5, 4)) == 0);
  CHECK(largest(slice(gradients.of(output.weight), 0, 2, 3)) > 0);
}

TEST_CASE("adaptive softmax: targets beyond the vocabulary and smoothing are refused") {
  const AdaptiveSoftmax output = lively({2, 5}, 2);
  const Tensor h = Tensor::zeros({1, 4});
  expect_error([&] { output.loss(h, Ids({1}, {9})); }, {"adaptive_softmax: ", "9"});
  expect_error([&] { output.loss(h, Ids({1}, {-2})); }, {"adaptive_softmax: ", "-2"});
  expect_error([&] { output.loss(h, Ids({1}, {1}), {.smoothing = 0.1f}); },
               {"adaptive_softmax: ", "smoothing"});
}

}  // namespace xf::test
