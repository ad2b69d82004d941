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

// The gradients of sum(w * layer_norm(x)), by the engine's op or by the exercise's.
Gradients run(const Inputs& in, float eps, bool own) {
  Tape tape;
  const Tensor y = own ? exercise::my_layer_norm(in.x, in.gamma, in.beta, eps)
                       : layer_norm(in.x, in.gamma, in.beta, eps);
  return tape.backward(weighted_sum(y, in.weights));
}

}  // namespace

TEST_CASE("dx: every number of a row moves its mean and its sigma") {
  const Inputs in({2, 5});
  exercise::compare_gradient("dx", run(in, 1e-5f, false).of(in.x), run(in, 1e-5f, true).of(in.x));
}

TEST_CASE("dgamma and dbeta: every row adds its share") {
  const Inputs in({4, 3});
  const Gradients wanted = run(in, 1e-5f, false), own = run(in, 1e-5f, true);
  exercise::compare_gradient("dgamma", wanted.of(in.gamma), own.of(in.gamma));
  exercise::compare_gradient("dbeta", wanted.of(in.beta), own.of(in.beta));
}

TEST_CASE("eps stands inside the root, in the backward too") {
  const Inputs in({3, 6});
  exercise::compare_gradient("dx, eps = 0.5", run(in, 0.5f, false).of(in.x),
                             run(in, 0.5f, true).of(in.x));
}

// The steps are even, so that every way to the mean is exact; the squares are not, in float.
TEST_CASE("rows far from 0 keep their sigma") {
  const Inputs in(
      Tensor::from({2, 4}, {20001, 20003, 20005, 20007, -20013, -20009, -20005, -20001}));
  exercise::compare_gradient("dx, x near 20000", run(in, 1e-5f, false).of(in.x),
                             run(in, 1e-5f, true).of(in.x));
}
