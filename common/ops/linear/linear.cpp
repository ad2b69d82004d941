#include "ops/linear/linear.hpp"

#include "autograd/tape.hpp"
#include "ops/check.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/matmul/gemm.hpp"

namespace xf {

namespace {

constexpr Op linear_op{"linear", "x W^T + b",
                       "dx = dy W, dW = dy^T x, db = sum of dy over the rows"};

// Checks the sizes; returns memory for the result.
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
  return Tensor::empty(shape, common_device("linear", x, weight, bias));
}

template <class On>
const float* data_or_null(On on, const Tensor& bias) {
  return bias.defined() ? bias.data(on) : nullptr;
}

template <class On>
kernel::Matrix matrix(On on, const Tensor& x, int rows, int columns) {
  const kernel::Input numbers = x.input(on);
  return {numbers.data, rows, columns, columns, false, numbers.form};
}

// W^T, even if the weight is kept in its file's number format.
template <class On>
kernel::Matrix transposed(On on, const Tensor& weight) {
  const int out = weight.size(0), in = weight.size(1);
  if (const StoredRows* rows = weight.stored())
    return {.data = nullptr,
            .rows = in,
            .columns = out,
            .stride = in,
            .transposed = true,
            .form = &weight.form(),
            .stored = *rows};
  return matrix(on, weight, out, in).transpose();
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  Tensor y = room_for_output(x, weight, bias);
  const int rows = x.shape().rows(), out = weight.size(0), in = weight.size(1);
  dispatch(y.device(), [&](auto on) {
    kernel::gemm(on, matrix(on, x, rows, in), transposed(on, weight), {y.data(on), rows, out},
                 {.bias = data_or_null(on, bias)});
  });
  return record(linear_op, y, {&x, &weight, &bias}, [=](InputGradients& inputs, const Tensor& dy) {
    dispatch(dy.device(), [&](auto on) {
      if (inputs.wanted(0)) {  // dx = dy W
        auto [dx, sum] = inputs.accumulate(0, x.shape(), x.device());
        kernel::gemm(on, matrix(on, dy, rows, out), matrix(on, weight, out, in),
                     {dx.data(on), rows, in}, {.sum = sum});
      }
      if (inputs.wanted(1)) {  // dW = dy^T x
        auto [dw, sum] = inputs.accumulate(1, weight.shape(), weight.device());
        kernel::gemm(on, matrix(on, dy, rows, out).transpose(), matrix(on, x, rows, in),
                     {dw.data(on), out, in}, {.sum = sum});
      }
      if (inputs.wanted(2)) {  // db = the sum of dy over the rows
        Tensor db = Tensor::empty(bias.shape(), bias.device());
        kernel::sum_rows(on, dy.data(on), db.data(on), rows, out);
        inputs.add(2, std::move(db));
      }
    });
  });
}

std::vector<Tensor> linear(const Tensor& x, const std::vector<LinearWeights>& layers) {
  std::vector<Tensor> outputs;
  if (x.shape().rows() != 1 || Tape::active()) {
    for (const auto& [weight, bias] : layers) outputs.push_back(linear(x, weight, bias));
    return outputs;
  }
  for (const auto& [weight, bias] : layers) outputs.push_back(room_for_output(x, weight, bias));
  dispatch(x.device(), [&](auto on) {
    std::vector<kernel::Product> products;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto& [weight, bias] = layers[i];
      products.push_back({transposed(on, weight),
                          {outputs[i].data(on), 1, weight.size(0)},
                          data_or_null(on, bias)});
    }
    kernel::gemm(on, matrix(on, x, 1, x.size(-1)), products);
  });
  for (std::size_t i = 0; i < layers.size(); ++i)
    report(linear_op, outputs[i], {&x, &layers[i].weight, &layers[i].bias});
  return outputs;
}

}  // namespace xf
