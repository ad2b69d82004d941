#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

struct Inputs {
  Tensor x, gamma, beta, weights;

  explicit Inputs(const Shape& shape) : Inputs(exercise::random(shape, 41, 2.0f)) {}
  explicit Inputs(const Tensor& at)
      : x(parameter(at)),
        gamma(parameter(exercise::random({at.size(1)}, 42))),
        beta(parameter(exercise::random({at.size(1)}, 43))),
        weights(exercise::random(at.shape(), 44)) {}
};

// The gradients of sum(w * layer_norm(x)), by the engine's op and by the exercise's.
Gradients engine(const Inputs& in, float eps) {
  Tape tape;
  return tape.backward(weighted_sum(layer_norm(in.x, in.gamma, in.beta, eps), in.weights));
}
Gradients own(const Inputs& in, float eps) {
  Tape tape;
  return tape.backward(
      weighted_sum(exercise::my_layer_norm(in.x, in.gamma, in.beta, eps), in.weights));
}

}  // namespace

TEST_CASE("dx: every number of a row moves its mean and its sigma") {
  const Inputs in({2, 5});
  COMPARE_GRADIENT("dx", engine(in, 1e-5f).of(in.x), own(in, 1e-5f).of(in.x));
}

TEST_CASE("dgamma and dbeta: every row adds its share") {
  const Inputs in({4, 3});
  COMPARE_GRADIENT("dgamma", engine(in, 1e-5f).of(in.gamma), own(in, 1e-5f).of(in.gamma));
  COMPARE_GRADIENT("dbeta", engine(in, 1e-5f).of(in.beta), own(in, 1e-5f).of(in.beta));
}

TEST_CASE("eps stands inside the root, in the backward too") {
  const Inputs in({3, 6});
  COMPARE_GRADIENT("dx, eps = 0.5", engine(in, 0.5f).of(in.x), own(in, 0.5f).of(in.x));
}

// The steps are even, so that every way to the mean is exact; the squares are not, in float.
TEST_CASE("rows far from 0 keep their sigma") {
  const Inputs in(
      Tensor::from({2, 4}, {20001, 20003, 20005, 20007, -20013, -20009, -20005, -20001}));
  COMPARE_GRADIENT("dx, x near 20000", engine(in, 1e-5f).of(in.x), own(in, 1e-5f).of(in.x));
}
