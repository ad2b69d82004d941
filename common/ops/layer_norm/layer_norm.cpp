#include "ops/layer_norm/layer_norm.hpp"

#include "ops/check.hpp"
#include "ops/layer_norm/kernels.hpp"

namespace xf {

Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps) {
  require(x.rank() >= 1 && gamma.shape() == Shape{x.size(-1)} && beta.shape() == gamma.shape(),
          "layer_norm", [&] {
            return "gamma and beta need one number per feature: x is " + x.shape().str() +
                   ", gamma is " + gamma.shape().str() + ", beta is " + beta.shape().str();
          });
  const int rows = x.shape().rows(), columns = x.size(-1);
  const Device device = common_device("layer_norm", x, gamma, beta);
  Tensor y = Tensor::empty(x.shape(), device);
  Tensor means = Tensor::empty({rows}, device), inverses = Tensor::empty({rows}, device);
  dispatch(device, [&](auto on) {
    kernel::layer_norm(on, x.data(on), gamma.data(on), beta.data(on), eps, y.output(on),
                       means.data(on), inverses.data(on), rows, columns);
  });
  constexpr Op op{"layer_norm", "gamma (x - mean) / sqrt(variance + eps) + beta",
                  "dx = (g - mean(g) - xhat mean(g xhat)) / std, g = gamma dy"};
  return record(op, y, {&x, &gamma, &beta}, [=](InputGradients& inputs, const Tensor& dy) {
    const bool weights = inputs.wanted(1) || inputs.wanted(2);
    Tensor dx, dgamma, dbeta;
    if (inputs.wanted(0)) dx = reuse(dy);
    if (weights) {
      dgamma = Tensor::empty(gamma.shape(), x.device());
      dbeta = Tensor::empty(beta.shape(), x.device());
    }
    dispatch(x.device(), [&](auto on) {
      kernel::layer_norm_backward(on, x.data(on), gamma.data(on), means.data(on), inverses.data(on),
                                  dy.data(on), dx.defined() ? dx.data(on) : nullptr,
                                  weights ? dgamma.data(on) : nullptr,
                                  weights ? dbeta.data(on) : nullptr, rows, columns);
    });
    inputs.add(1, std::move(dgamma));
    inputs.add(2, std::move(dbeta));
    inputs.add(0, std::move(dx));
  });
}

}  // namespace xf
