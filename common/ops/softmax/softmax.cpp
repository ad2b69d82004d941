#include "ops/softmax/softmax.hpp"

#include "ops/check.hpp"
#include "ops/softmax/kernels.hpp"

namespace xf {

namespace {

void check(const Ids& allowed, const Tensor& x) {
  if (!allowed.defined()) return;
  const Shape& m = allowed.shape();
  const bool fits = x.rank() == 4 && m.rank() == 3 && (m[0] == 1 || m[0] == x.size(0)) &&
                    (m[1] == 1 || m[1] == x.size(2)) && m[2] == x.size(3);
  require(fits, "softmax", [&] {
    return "expected a mask (B|1, T|1, S) for x (B, H, T, S): x is " + x.shape().str() +
           ", the mask is " + m.str();
  });
}

template <class On>
kernel::MaskLayout layout(On on, const Ids& allowed, const Tensor& x) {
  if (!allowed.defined()) return {};
  const Shape& m = allowed.shape();
  return {.allowed = allowed.data(on),
          .heads = x.size(1),
          .queries = x.size(2),
          .batch_step = m[0] == 1 ? 0 : std::ptrdiff_t(m[1]) * m[2],
          .query_step = m[1] == 1 ? 0 : m[2]};
}

}  // namespace

Tensor softmax(const Tensor& x, const SoftmaxOptions& options) {
  require(x.rank() >= 1, "softmax", [] { return "a scalar has no axis to sum over"; });
  require(options.scale > 0, "softmax",
          [&] { return "the scale must be positive, not " + std::to_string(options.scale); });
  const Ids allowed = options.mask.allowed();
  check(allowed, x);
  const int columns = x.size(-1), rows = x.shape().rows();
  const float factor = options.scale;
  Tensor y = Tensor::empty(x.shape(), x.device());
  dispatch(x.device(), [&](auto on) {
    kernel::softmax(on, x.data(on), factor, layout(on, allowed, x), y.data(on), rows, columns);
  });
  constexpr Op op{"softmax", "exp(c x_j) / sum_k exp(c x_k), where the mask allows",
                  "dx = c y (dy - sum_k dy_k y_k)"};
  return record(op, y, {&x}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dx = reuse(dy);
    dispatch(y.device(), [&](auto on) {
      kernel::softmax_backward(on, y.data(on), dy.data(on), factor, dx.data(on), rows, columns);
    });
    inputs.add(0, std::move(dx));
  });
}

}  // namespace xf
