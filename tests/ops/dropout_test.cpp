#include "ops/dropout/dropout.hpp"

#include "support/golden.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

namespace {

Tensor ones_through_dropout(const Shape& shape, float p, std::uint64_t seed) {
  const Training training(seed);
  return dropout(Tensor::full(shape, 1), p);
}

double mean_of(const Tensor& x) {
  double total = 0;
  for (float value : x.values()) total += value;
  return total / static_cast<double>(x.count());
}

}  // namespace

TEST_CASE("dropout: each number is 0 or x / (1 - p)") {
  const Tensor x = random_leaf({50, 7}, 1);
  const Training training(3);
  const Tensor y = dropout(x, 0.25f);
  int dropped = 0;
  for (std::ptrdiff_t i = 0; i < x.count(); ++i) {
    if (y.values()[i] == 0)
      ++dropped;
    else
      CHECK(y.values()[i] == doctest::Approx(x.values()[i] / 0.75f).epsilon(1e-6));
  }
  CHECK(dropped > 0);
}

TEST_CASE("dropout: the mean and the rate are kept within four standard deviations") {
  const int n = 200000;
  for (float p : {0.1f, 0.3f, 0.5f, 0.9f})
    for (std::uint64_t seed : {1, 2, 3}) {
      const Tensor y = ones_through_dropout({n}, p, seed);
      // y is 1/(1-p) with probability 1-p: its variance is p / (1-p).
      CHECK(std::abs(mean_of(y) - 1) < 4 * std::sqrt(p / (1 - p) / n));
    }
}

TEST_CASE("dropout: neighbours are dropped independently of one another") {
  const Tensor y = ones_through_dropout({200001}, 0.5f, 4);
  for (int distance : {1, 2, 16, 64, 1024}) {
    double both = 0;
    const int n = 190000;
    for (int i = 0; i < n; ++i) both += y.values()[i] == 0 && y.values()[i + distance] == 0;
    CHECK(std::abs(both / n - 0.25) < 4 * std::sqrt(0.25 * 0.75 / n) * 1.5);
  }
}

TEST_CASE("dropout: the same seed gives the same masks, another seed and another call others") {
  const Shape shape{100};
  expect_same("seed", ones_through_dropout(shape, 0.5f, 7), ones_through_dropout(shape, 0.5f, 7));
  CHECK(ones_through_dropout(shape, 0.5f, 7).values() !=
        ones_through_dropout(shape, 0.5f, 8).values());
  const Training training(7);
  const Tensor first = dropout(Tensor::full(shape, 1), 0.5f);
  const Tensor second = dropout(Tensor::full(shape, 1), 0.5f);
  CHECK(first.values() != second.values());
  expect_same("first", first, ones_through_dropout(shape, 0.5f, 7));
}

TEST_CASE("dropout: backward uses the mask of its own forward") {
  const Tensor x = parameter(Tensor::full({300}, 1));
  const Training training(9);
  Tape tape;
  const Tensor y = dropout(x, 0.4f);
  const Tensor z = dropout(x, 0.4f);  // another mask in between
  const Gradients gradients = tape.backward(sum(y));
  expect_same("dx", gradients.of(x), y);
  CHECK(y.values() != z.values());
}

TEST_CASE("dropout: backward matches finite differences under a fixed seed") {
  const Tensor x = random_leaf({4, 5}, 10);
  check_gradients("dropout", {{"x", x}}, [&] {
    const Training training(11);
    return dropout(dropout(x, 0.3f), 0.2f);
  });
}

TEST_CASE("dropout: the identity without Training, and for p = 0") {
  const Tensor x = random_leaf({5}, 12);
  CHECK(dropout(x, 0.5f).key() == x.key());
  const Training training(1);
  CHECK(dropout(x, 0).key() == x.key());
}

TEST_CASE("dropout: Training objects nest, and the outer one goes on where it was") {
  CHECK(Training::active() == nullptr);
  const Training outer(1);
  CHECK(Training::active() == &outer);
  {
    const Training inner(2);
    CHECK(Training::active() == &inner);
  }
  CHECK(Training::active() == &outer);
}

TEST_CASE("dropout: rates outside [0, 1) are refused") {
  const Tensor x = Tensor::zeros({2});
  expect_error([&] { dropout(x, 1); }, {"dropout: ", "1.0"});
  expect_error([&] { dropout(x, -0.1f); }, {"dropout: ", "-0.1"});
  expect_error([&] { dropout(x, std::nanf("")); }, {"dropout: ", "nan"});
}

}  // namespace xf::test
