#include "ops/divergence/divergence.hpp"

#include "ops/check.hpp"
#include "ops/cross_entropy/kernels.hpp"
#include "ops/divergence/kernels.hpp"
#include "ops/reduce/kernels.hpp"

namespace xf {

Tensor symmetric_divergence(const Tensor& a, const Tensor& b, double divisor) {
  require(a.rank() >= 1 && a.shape() == b.shape(), "symmetric_divergence",
          [&] { return "equal shapes wanted: " + a.shape().str() + " and " + b.shape().str(); });
  const int rows = a.shape().rows(), columns = a.size(-1);
  const Device device = common_device("symmetric_divergence", a, b);
  const auto per_row = [&] { return Tensor::empty({rows}, device); };
  Tensor a_sums = per_row(), b_sums = per_row();
  Tensor both = Tensor::empty({2 * rows}, device), loss = Tensor::empty({}, device);
  dispatch(device, [&](auto on) {
    kernel::log_sum_exp(on, a.data(on), a_sums.data(on), rows, columns);
    kernel::log_sum_exp(on, b.data(on), b_sums.data(on), rows, columns);
    kernel::divergences(on, a.data(on), b.data(on), a_sums.data(on), b_sums.data(on), both.data(on),
                        both.data(on) + rows, rows, columns);
    kernel::sum(on, both.data(on), nullptr, both.count(), divisor, loss.data(on));
  });
  constexpr Op op{"symmetric_divergence", "(KL(p | q) + KL(q | p)) / divisor",
                  "through both logarithms of both softmaxes"};
  return record(op, loss, {&a, &b}, [=](InputGradients& inputs, const Tensor& dloss) {
    Tensor da = reuse(a), db = reuse(b);
    dispatch(a.device(), [&](auto on) {
      kernel::divergence_backward(on, a.data(on), b.data(on), a_sums.data(on), b_sums.data(on),
                                  both.data(on), both.data(on) + rows, divisor, dloss.data(on),
                                  da.data(on), db.data(on), rows, columns);
    });
    inputs.add(0, std::move(da));
    inputs.add(1, std::move(db));
  });
}

}  // namespace xf
