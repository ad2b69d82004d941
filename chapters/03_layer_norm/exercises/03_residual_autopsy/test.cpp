#include "03_layer_norm/residual.hpp"

#include "exercise.hpp"

using namespace xf;

static Tensor run(const Tensor& x, bool own) {
  LayerNorm norm(4);  // of a fresh one, norm(norm(x)) is norm(x)
  norm.gamma = exercise::random({4}, 39);
  norm.beta = exercise::random({4}, 40);
  const Tensor weight = exercise::random({4, 4}, 36);
  const auto f = [&](const Tensor& h) { return relu(matmul(h, weight)); };
  return own ? exercise::residual(x, norm, f) : residual(x, norm, NormOrder::pre, 0.0f, f);
}

TEST_CASE("the block is x + f(norm(x))") {
  const Tensor x = exercise::random({3, 4}, 35, 3.0f);
  exercise::compare("residual(x)", run(x, false), run(x, true));
}

TEST_CASE("the gradient flows past the norm") {
  const Tensor x = parameter(exercise::random({2, 4}, 37, 3.0f));
  const Tensor weights = exercise::random({2, 4}, 38);
  Tape engine;
  const Tensor wanted = engine.backward(weighted_sum(run(x, false), weights)).of(x);
  Tape own;
  exercise::compare_gradient("dx", wanted, own.backward(weighted_sum(run(x, true), weights)).of(x));
}
