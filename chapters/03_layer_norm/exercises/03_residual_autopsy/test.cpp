#include "03_layer_norm/residual.hpp"

#include "exercise.hpp"
#include "support/test.hpp"

using namespace xf;

namespace {

struct Block {
  LayerNorm norm{4};  // of a fresh one, norm(norm(x)) is norm(x)
  Tensor weight = exercise::random({4, 4}, 36);

  Block() {
    norm.gamma = exercise::random({4}, 39);
    norm.beta = exercise::random({4}, 40);
  }

  Tensor f(const Tensor& h) const { return relu(matmul(h, weight)); }
  Tensor wanted(const Tensor& x) const {
    return residual(x, norm, NormOrder::pre, 0.0f, [this](const Tensor& h) { return f(h); });
  }
  Tensor own(const Tensor& x) const {
    return exercise::residual(x, norm, [this](const Tensor& h) { return f(h); });
  }
};

}  // namespace

TEST_CASE("the block is x + f(norm(x))") {
  const Tensor x = exercise::random({3, 4}, 35, 3.0f);
  const Block block;
  COMPARE("residual(x)", block.wanted(x), block.own(x));
}

TEST_CASE("the gradient flows past the norm") {
  const Tensor x = parameter(exercise::random({2, 4}, 37, 3.0f));
  const Tensor weights = exercise::random({2, 4}, 38);
  const Block block;
  const auto gradient = [&](const auto& y) {
    Tape tape;
    return tape.backward(weighted_sum(y(), weights)).of(x);
  };
  COMPARE_GRADIENT("dx", gradient([&] { return block.wanted(x); }),
                   gradient([&] { return block.own(x); }));
}
