#include "ops/linear/linear.hpp"

#include "ops/check.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/linear/frozen_weights.hpp"
#include "ops/matmul/gemm.hpp"

namespace xf {

namespace {

// Memory for the result, after a look at the sizes.
Tensor room_for_output(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  require(weight.rank() == 2 && x.rank() >= 1 && x.size(-1) == weight.size(1), "linear", [&] {
    return "x is " + x.shape().str() + ", the weight (out, in) is " + weight.shape().str();
  });
  const int out = weight.size(0);
  require(!bias.defined() || bias.shape() == Shape{out}, "linear", [&] {
    return "the bias is " + bias.shape().str() + ", the weight (out, in) is " +
           weight.shape().str();
  });
  Shape shape = x.shape();
  shape.set(-1, out);
  return Tensor::empty(shape, x.device());
}

const float* data_or_null(const Tensor& bias) { return bias.defined() ? bias.data() : nullptr; }

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  Tensor y = room_for_output(x, weight, bias);
  const int rows = x.shape().rows(), out = weight.size(0), in = weight.size(1);
  const float* b = data_or_null(bias);
  if (const auto copy = frozen(weight, rows))
    kernel::gemm(Cpu{}, rows, {x.data(), in}, *copy, y.data(), out, b);
  else
    dispatch(x.device(), [&](auto on) {
      kernel::gemm(on, rows, out, in, {x.data(), in}, {weight.data(), in, true}, y.data(), out,
                   false, b);
    });
  return record("linear", y, {&x, &weight, &bias}, [=](InputGradients& inputs, const Tensor& dy) {
    dispatch(dy.device(), [&](auto on) {
      if (inputs.wanted(0)) {  // dx = dy W
        auto [dx, sum] = inputs.accumulate(0, x.shape(), x.device());
        kernel::gemm(on, rows, in, out, {dy.data(), out}, {weight.data(), in}, dx.data(), in, sum);
      }
      if (inputs.wanted(1)) {  // dW = dy^T x
        auto [dw, sum] = inputs.accumulate(1, weight.shape(), weight.device());
        kernel::gemm(on, out, in, rows, {dy.data(), out, true}, {x.data(), in}, dw.data(), in, sum);
      }
      if (inputs.wanted(2)) {  // db = the sum of dy over the rows
        Tensor db = Tensor::empty(bias.shape(), bias.device());
        kernel::sum_rows(on, dy.data(), db.data(), rows, out);
        inputs.add(2, std::move(db));
      }
    });
  });
}

std::vector<Tensor> linear(const Tensor& x, const std::vector<LinearWeights>& layers) {
  std::vector<Tensor> outputs;
  if (x.shape().rows() != 1 || Tape::active() || x.device() != Device::cpu) {
    for (const auto& [weight, bias] : layers) outputs.push_back(linear(x, weight, bias));
    return outputs;
  }
  std::vector<kernel::Product> products;
  for (const auto& [weight, bias] : layers) {
    Tensor& y = outputs.emplace_back(room_for_output(x, weight, bias));
    const kernel::Matrix b{weight.data(), weight.size(1), true};
    products.push_back({weight.size(0), b, y.data(), data_or_null(bias)});
  }
  kernel::gemm(Cpu{}, 1, x.size(-1), {x.data(), x.size(-1)}, products);
  return outputs;
}

}  // namespace xf
