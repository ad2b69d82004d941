#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "train/adam.hpp"

namespace xf::test {

namespace {

// w = (1, -2) with the loss sum(w * slope): the gradient is `slope`.
struct Slope {
  Tensor w = parameter(Tensor::from({2}, {1.0f, -2.0f}));

  Gradients gradient(float a, float b) const {
    Tape tape;
    return tape.backward(weighted_sum(scale(w, 1.0f), Tensor::from({2}, {a, b})));
  }
  std::vector<NamedParameter> list() { return {{"w", &w}}; }
};

}  // namespace

TEST_CASE("adam: the first step moves every weight by the rate against its gradient's sign") {
  Slope slope;
  Adam adam(slope.list());
  Gradients gradients = slope.gradient(3.0f, -4.0f);
  const GradientSums sums = sum_of(slope.list(), gradients);
  CHECK(sums.norm == doctest::Approx(5.0));  // of (3, -4)
  adam.step(sums, 0.1);
  CHECK(slope.w.values()[0] == doctest::Approx(0.9));
  CHECK(slope.w.values()[1] == doctest::Approx(-1.9));
}

TEST_CASE("adam: two steps worked by hand") {
  Slope slope;
  Adam adam(slope.list(), {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8});
  double w = 1, m = 0, v = 0;
  for (int t = 1; t <= 2; ++t) {
    const double g = t == 1 ? 2.0 : -0.5;
    Gradients gradients = slope.gradient(static_cast<float>(g), 1.0f);
    adam.step(gradients, 0.01);
    m = 0.9 * m + 0.1 * g;
    v = 0.99 * v + 0.01 * g * g;
    w -= 0.01 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.99, t))) + 1e-8);
    CHECK(slope.w.values()[0] == doctest::Approx(w).epsilon(1e-6));
  }
}

TEST_CASE("adam: the decay shrinks a matrix beside its step, and leaves a vector alone") {
  Tensor matrix = parameter(Tensor::from({1, 2}, {1.0f, -2.0f}));
  Tensor vector = parameter(Tensor::from({2}, {1.0f, -2.0f}));
  Adam adam({{"matrix", &matrix}, {"vector", &vector}}, {.weight_decay = 0.5});
  for (int t = 1; t <= 2; ++t) {
    Tape tape;
    Gradients gradients =
        tape.backward(weighted_sum(matrix * 1.0f, Tensor::from({1, 2}, {3.0f, 0.0f})) +
                      weighted_sum(vector * 1.0f, Tensor::from({2}, {3.0f, 0.0f})));
    adam.step(gradients, 0.1);
  }
  // Under the same gradient both steps are the rate. Without a gradient there is the decay alone.
  CHECK(matrix.values()[0] == doctest::Approx((1 * 0.95 - 0.1) * 0.95 - 0.1));
  CHECK(matrix.values()[1] == doctest::Approx(-2 * 0.95 * 0.95));
  CHECK(vector.values()[0] == doctest::Approx(1 - 0.2));
  CHECK(vector.values()[1] == -2.0f);
}

TEST_CASE("sums: the gradients of the shards are added") {
  Slope whole, parts;
  std::array one{whole.gradient(1.0f, 6.0f)};
  std::array two{parts.gradient(3.0f, 2.0f), parts.gradient(-2.0f, 4.0f)};
  const GradientSums a = sum_of(whole.list(), one), b = sum_of(parts.list(), two);
  CHECK(a.norm == doctest::Approx(b.norm));
  CHECK(a.of[0].values() == b.of[0].values());
}

TEST_CASE("clip: a longer gradient gets the given norm, a shorter one stays") {
  Slope slope;
  for (const float size : {10.0f, 0.1f}) {
    Gradients gradients = slope.gradient(3 * size, -4 * size);
    GradientSums sums = sum_of(slope.list(), gradients);
    CHECK(clip(sums, 1.0) == doctest::Approx(5 * size));  // before clipping
    CHECK(sums.scale == doctest::Approx(size > 1 ? 0.02 : 1.0));
    CHECK(clip(sums, 0) == doctest::Approx(5 * size));
  }
}

TEST_CASE("adam: a clipped gradient is that of the given norm") {
  Slope clipped, scaled;
  Gradients a = clipped.gradient(30.0f, -40.0f), b = scaled.gradient(0.6f, -0.8f);
  Adam with_clip(clipped.list(), {.epsilon = 0.1}), without(scaled.list(), {.epsilon = 0.1});
  GradientSums sums = sum_of(clipped.list(), a);
  clip(sums, 1.0);
  with_clip.step(sums, 0.1);
  without.step(b, 0.1);
  for (int i : {0, 1}) CHECK(clipped.w.values()[i] == doctest::Approx(scaled.w.values()[i]));
}

TEST_CASE("adam: a gradient that is not finite is refused by name, and nothing changes") {
  Slope slope;
  Adam adam(slope.list());
  Gradients gradients = slope.gradient(std::numeric_limits<float>::quiet_NaN(), 1.0f);
  CHECK_THROWS_WITH_AS(adam.step(gradients, 0.1), doctest::Contains("gradient of w is not finite"),
                       std::runtime_error);
  CHECK(slope.w.values() == std::vector<float>{1.0f, -2.0f});
  CHECK(adam.steps() == 0);
}

TEST_CASE("adam: a parameter without a gradient stays as it is") {
  Slope slope;
  Tensor idle = parameter(Tensor::full({3}, 7.0f));
  Adam adam({{"w", &slope.w}, {"idle", &idle}});
  Gradients gradients = slope.gradient(1.0f, 1.0f);
  adam.step(gradients, 0.1);
  CHECK(idle.values() == std::vector<float>(3, 7.0f));
}

}  // namespace xf::test
