#include "ops/relative_shift/relative_shift.hpp"

#include "ops/check.hpp"
#include "ops/relative_shift/kernels.hpp"

namespace xf {

Tensor relative_shift(const Tensor& x) {
  require(x.rank() >= 2 && x.size(-1) >= x.size(-2), "relative_shift",
          [&] { return "(..., T, S) with S >= T wanted, not " + x.shape().str(); });
  const int t = x.size(-2), s = x.size(-1);
  const std::ptrdiff_t batch = x.shape().count(0, x.rank() - 2);
  Tensor y = Tensor::empty(x.shape(), x.device());
  dispatch(x.device(),
           [&](auto on) { kernel::relative_shift(on, x.data(on), y.data(on), batch, t, s); });
  constexpr Op op{"relative_shift", "row i moves left by T - 1 - i",
                  "each number of dy goes back where it came from"};
  return record(op, y, {&x}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dx = Tensor::empty(dy.shape(), dy.device());
    dispatch(dy.device(), [&](auto on) {
      kernel::relative_shift_backward(on, dy.data(on), dx.data(on), batch, t, s);
    });
    inputs.add(0, std::move(dx));
  });
}

}  // namespace xf
