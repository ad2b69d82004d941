#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

exercise::LayerBackward backward_of(const exercise::Layer& layer) {
  return [=](const Tensor& x, const Tensor& dy) {
    const Tensor at = parameter(x.clone());
    Tape tape;
    return tape.backward(weighted_sum(layer(at), dy)).of(at);
  };
}

exercise::Block block(int d, std::uint64_t seed) {
  const Tensor weight = exercise::random({d, d}, seed, 1.4f / std::sqrt(static_cast<float>(d)));
  const Tensor gamma = exercise::random({d}, seed + 1), beta = exercise::random({d}, seed + 2);
  const exercise::Layer f = [=](const Tensor& x) { return gelu(matmul(x, weight)); };
  const exercise::Layer norm = [=](const Tensor& x) { return layer_norm(x, gamma, beta); };
  return {f, norm, backward_of(f), backward_of(norm)};
}

// The same numbers, of which a tape knows nothing: whoever needs the backward calls it.
exercise::Layer untaped(const exercise::Layer& layer) {
  return [=](const Tensor& x) { return layer(detach(x)); };
}

void check(const std::string& name, NormOrder usual, int usual_depth) {
  const NormOrder order =
      exercise::either(usual == NormOrder::pre) ? NormOrder::pre : NormOrder::post;
  const int depth = exercise::given(usual_depth, usual_depth + 2, usual_depth + 5);
  const int words = exercise::given(3, 1, 9), d = exercise::given(4, 3, 9);
  std::vector<exercise::Block> blocks;
  for (int i = 0; i < depth; ++i) blocks.push_back(block(d, 91 + 3 * std::uint64_t(i)));
  const Tensor x = exercise::random({words, d}, 90, 2.0f), dy = exercise::random({words, d}, 89);
  const exercise::Layer stack = [&](Tensor h) {
    for (const exercise::Block& b : blocks)
      h = order == NormOrder::pre ? h + b.f(b.norm(h)) : b.norm(h + b.f(h));
    return h;
  };
  std::vector<exercise::Block> by_hand = blocks;
  for (exercise::Block& b : by_hand) b.f = untaped(b.f), b.norm = untaped(b.norm);
  COMPARE_GRADIENT(name, backward_of(stack)(x, dy),
                   exercise::stack_backward(x, by_hand, order, dy));
}

}  // namespace

TEST_CASE("one pre-norm block: dy takes both the path and the branch") {
  check("dx of one block, pre", NormOrder::pre, 1);
}

TEST_CASE("a pre-norm stack: each block at its own input, from the top down") {
  check("dx of 3 blocks, pre", NormOrder::pre, 3);
}

TEST_CASE("a post-norm stack: every norm is on the path") {
  check("dx of 2 blocks, post", NormOrder::post, 2);
}
