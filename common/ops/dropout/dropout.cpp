#include "ops/dropout/dropout.hpp"

#include "ops/check.hpp"
#include "ops/dropout/kernels.hpp"
#include "tensor/random.hpp"

namespace xf {

namespace {

thread_local Training* active_training = nullptr;

}  // namespace

Training::Training(std::uint64_t seed) : seed_(seed), previous_(active_training) {
  active_training = this;
}

Training::~Training() { active_training = previous_; }

Training* Training::active() { return active_training; }

std::uint64_t Training::next_key() { return mix(seed_ ^ mix(++drawn_)); }

std::uint64_t dropout_key(float p) {
  require(p >= 0 && p < 1, "dropout",
          [p] { return "the rate must be in [0, 1), not " + std::to_string(p); });
  return p > 0 && active_training ? active_training->next_key() : 0;
}

Tensor dropout(const Tensor& x, float p) {
  const std::uint64_t key = dropout_key(p);
  if (key == 0) return x;
  const auto mask_into = [p, key](const Tensor& from, Tensor to) {
    dispatch(from.device(), [&](auto on) {
      kernel::dropout(on, from.data(on), p, key, to.output(on), to.count());
    });
    return to;
  };
  const Tensor y = mask_into(x, Tensor::empty(x.shape(), x.device()));
  constexpr Op op{"dropout", "x * kept / (1 - rate)", "dx = dy * kept / (1 - rate)"};
  return record(op, y, {&x}, [mask_into](InputGradients& inputs, const Tensor& dy) {
    inputs.add(0, mask_into(dy, reuse(dy)));
  });
}

}  // namespace xf
