#include "ops/divergence/divergence.hpp"

#include "ops/check.hpp"
#include "ops/cross_entropy/kernels.hpp"
#include "ops/divergence/kernels.hpp"

namespace xf {

Tensor symmetric_divergence(const Tensor& a, const Tensor& b, double divisor) {
  require(a.rank() >= 1 && a.shape() == b.shape(), "symmetric_divergence",
          [&] { return "equal shapes wanted: " + a.shape().str() + " and " + b.shape().str(); });
  const int rows = a.shape().rows(), columns = a.size(-1);
  const Device device = common_device("symmetric_divergence", a, b);
  const auto per_row = [&] { return Tensor::empty({rows}, device); };
  Tensor a_sums = per_row(), b_sums = per_row(), forth = per_row(), back = per_row();
  dispatch(device, [&](auto on) {
    kernel::log_sum_exp(on, a.data(on), a_sums.data(on), rows, columns);
    kernel::log_sum_exp(on, b.data(on), b_sums.data(on), rows, columns);
    kernel::divergences(on, a.data(on), b.data(on), a_sums.data(on), b_sums.data(on),
                        forth.data(on), back.data(on), rows, columns);
  });
  double total = 0;
  for (const float row : forth.values()) total += row;
  for (const float row : back.values()) total += row;
  const Tensor loss = Tensor::full({}, static_cast<float>(total / divisor), device);
  return record("symmetric_divergence", loss, {&a, &b},
                [=](InputGradients& inputs, const Tensor& dloss) {
                  Tensor da = reuse(a), db = reuse(b);
                  const float factor = dloss.item() / static_cast<float>(divisor);
                  dispatch(a.device(), [&](auto on) {
                    kernel::divergence_backward(on, a.data(on), b.data(on), a_sums.data(on),
                                                b_sums.data(on), forth.data(on), back.data(on),
                                                factor, da.data(on), db.data(on), rows, columns);
                  });
                  inputs.add(0, std::move(da));
                  inputs.add(1, std::move(db));
                });
}

}  // namespace xf
