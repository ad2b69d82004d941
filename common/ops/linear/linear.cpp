#include "ops/linear/linear.hpp"

#include "ops/check.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/linear/frozen_weights.hpp"
#include "ops/matmul/gemm.hpp"

namespace xf {

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  require(weight.rank() == 2 && x.rank() >= 1 && x.size(-1) == weight.size(1), "linear", [&] {
    return "x is " + x.shape().str() + ", the weight (out, in) is " + weight.shape().str();
  });
  const int rows = x.shape().rows(), out = weight.size(0), in = weight.size(1);
  require(!bias.defined() || bias.shape() == Shape{out}, "linear", [&] {
    return "the bias is " + bias.shape().str() + ", the weight (out, in) is " +
           weight.shape().str();
  });
  Shape shape = x.shape();
  shape.set(-1, out);
  Tensor y = Tensor::empty(shape, x.device());
  const float* b = bias.defined() ? bias.data() : nullptr;
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

}  // namespace xf
