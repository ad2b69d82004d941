#include "ops/reduce/reduce.hpp"

#include "ops/check.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/kernels.hpp"

namespace xf {

namespace {

// sum(x), or sum(weights * x).
Tensor total(const Tensor& x, const Tensor& weights = {}) {
  const Device device = common_device("weighted_sum", x, weights);
  const double sum = dispatch(device, [&](auto on) {
    return kernel::sum(on, x.data(on), weights.defined() ? weights.data(on) : nullptr, x.count());
  });
  return Tensor::full({}, static_cast<float>(sum), device);
}

}  // namespace

Tensor sum(const Tensor& x) {
  const Shape shape = x.shape();
  return record("sum", total(x), {&x}, [=](InputGradients& inputs, const Tensor& dy) {
    inputs.add(0, Tensor::full(shape, dy.item(), dy.device()));
  });
}

Tensor weighted_sum(const Tensor& x, const Tensor& weights) {
  require(x.shape() == weights.shape(), "weighted_sum",
          [&] { return "x is " + x.shape().str() + ", the weights are " + weights.shape().str(); });
  return record("weighted_sum", total(x, weights), {&x},
                [weights](InputGradients& inputs, const Tensor& dy) {
                  inputs.add(0, scale(detach(weights), dy.item()));
                });
}

std::vector<int> argmax(const Tensor& x) {
  require(x.rank() >= 1 && x.size(-1) >= 1, "argmax", [&] { return "of empty rows"; });
  std::vector<int> places(static_cast<std::size_t>(x.shape().rows()));
  dispatch(x.device(), [&](auto on) { kernel::argmax(on, x.data(on), places, x.size(-1)); });
  return places;
}

}  // namespace xf
