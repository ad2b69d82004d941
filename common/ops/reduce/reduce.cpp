#include "ops/reduce/reduce.hpp"

#include "ops/check.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/reduce/kernels.hpp"
#include "ops/top_k/top_k.hpp"

namespace xf {

namespace {

// sum(x), or sum(weights * x).
Tensor total(const Tensor& x, const Tensor& weights = {}) {
  const Device device = common_device("weighted_sum", x, weights);
  Tensor sum = Tensor::empty({}, device);
  dispatch(device, [&](auto on) {
    kernel::sum(on, x.data(on), weights.defined() ? weights.data(on) : nullptr, x.count(), 1,
                sum.data(on));
  });
  return sum;
}

// y = dy x for a one-element dy, which need not be copied to the host.
void scale_by(const Tensor& x, const Tensor& dy, Tensor& y) {
  dispatch(y.device(),
           [&](auto on) { kernel::scale_by(on, x.data(on), dy.data(on), y.data(on), y.count()); });
}

}  // namespace

Tensor sum(const Tensor& x) {
  const Shape shape = x.shape();
  constexpr Op op{"sum", "sum of x", "dx = dy everywhere"};
  return record(op, total(x), {&x}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dx = Tensor::full(shape, 1, dy.device());
    scale_by(dx, dy, dx);
    inputs.add(0, std::move(dx));
  });
}

Tensor weighted_sum(const Tensor& x, const Tensor& weights) {
  require(x.shape() == weights.shape(), "weighted_sum",
          [&] { return "x is " + x.shape().str() + ", the weights are " + weights.shape().str(); });
  constexpr Op op{"weighted_sum", "sum of w * x", "dx = w dy"};
  return record(op, total(x, weights), {&x}, [weights](InputGradients& inputs, const Tensor& dy) {
    Tensor dx = Tensor::empty(weights.shape(), weights.device());
    scale_by(weights, dy, dx);
    inputs.add(0, std::move(dx));
  });
}

std::vector<int> argmax(const Tensor& x) {
  require(x.rank() >= 1 && x.size(-1) >= 1, "argmax", [&] { return "of empty rows"; });
  std::vector<int> indices;
  for (const Placed& found : top_k(x, 1)) indices.push_back(found.index);
  return indices;
}

}  // namespace xf
