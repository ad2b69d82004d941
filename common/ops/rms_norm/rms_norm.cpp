#include "ops/rms_norm/rms_norm.hpp"

#include "ops/check.hpp"
#include "ops/rms_norm/kernels.hpp"

namespace xf {

Tensor rms_norm(const Tensor& x, const Tensor& gamma, float eps) {
  require(x.rank() >= 1 && gamma.shape() == Shape{x.size(-1)}, "rms_norm", [&] {
    return "gamma needs one number per feature: x is " + x.shape().str() + ", gamma is " +
           gamma.shape().str();
  });
  const int rows = x.shape().rows(), columns = x.size(-1);
  const Device device = common_device("rms_norm", x, gamma);
  Tensor y = Tensor::empty(x.shape(), device), inverses = Tensor::empty({rows}, device);
  dispatch(device, [&](auto on) {
    kernel::rms_norm(on, x.data(on), gamma.data(on), eps, y.data(on), inverses.data(on), rows,
                     columns);
  });
  constexpr Op op{"rms_norm", "gamma x / sqrt(mean(x^2) + eps)",
                  "dx = (g - xhat mean(g xhat)) / rms, g = gamma dy"};
  return record(op, y, {&x, &gamma}, [=](InputGradients& inputs, const Tensor& dy) {
    dispatch(x.device(), [&](auto on) {
      if (inputs.wanted(1)) {
        Tensor dgamma = Tensor::empty(gamma.shape(), x.device());
        kernel::rms_norm_weights(on, x.data(on), inverses.data(on), dy.data(on), dgamma.data(on),
                                 rows, columns);
        inputs.add(1, std::move(dgamma));
      }
      if (!inputs.wanted(0)) return;
      Tensor dx = reuse(dy);
      kernel::rms_norm_backward(on, x.data(on), gamma.data(on), inverses.data(on), dy.data(on),
                                dx.data(on), rows, columns);
      inputs.add(0, std::move(dx));
    });
  });
}

}  // namespace xf
