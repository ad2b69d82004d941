#include "ops/heads/heads.hpp"

#include "ops/check.hpp"
#include "ops/heads/kernels.hpp"

namespace xf {

namespace {

Tensor swapped(const Tensor& x, const Shape& shape, int batch, int t, int h, int d_k) {
  Tensor y = Tensor::empty(shape, x.device());
  dispatch(x.device(), [&](auto on) {
    kernel::swap_middle_axes(on, x.data(on), y.output(on), batch, t, h, d_k);
  });
  return y;
}

}  // namespace

Tensor split_heads(const Tensor& x, int heads) {
  require(x.rank() == 3, "split_heads", [&] { return "(B, T, D) wanted, not " + x.shape().str(); });
  require(heads > 0 && x.size(2) % heads == 0, "split_heads", [&] {
    return std::to_string(heads) + " heads do not divide the last axis of " + x.shape().str();
  });
  const int b = x.size(0), t = x.size(1), d_k = x.size(2) / heads;
  const Shape shape = x.shape();
  constexpr Op op{"split_heads", "(B, T, D) as (B, H, T, Dk)", "dy as (B, T, D)"};
  return record(op, swapped(x, {b, heads, t, d_k}, b, t, heads, d_k), {&x},
                [=](InputGradients& inputs, const Tensor& dy) {
                  inputs.add(0, swapped(dy, shape, b, heads, t, d_k));
                });
}

Tensor merge_heads(const Tensor& x) {
  require(x.rank() == 4, "merge_heads",
          [&] { return "(B, H, T, Dk) wanted, not " + x.shape().str(); });
  const int b = x.size(0), heads = x.size(1), t = x.size(2), d_k = x.size(3);
  const Shape shape = x.shape();
  constexpr Op op{"merge_heads", "(B, H, T, Dk) as (B, T, D)", "dy as (B, H, T, Dk)"};
  return record(op, swapped(x, {b, t, heads * d_k}, b, heads, t, d_k), {&x},
                [=](InputGradients& inputs, const Tensor& dy) {
                  inputs.add(0, swapped(dy, shape, b, t, heads, d_k));
                });
}

}  // namespace xf
