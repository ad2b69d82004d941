#include "ops/shape/shape_ops.hpp"

#include <algorithm>

#include "ops/check.hpp"
#include "ops/embedding/kernels.hpp"
#include "ops/shape/kernels.hpp"

namespace xf {

namespace {

// A tensor seen as `outer` blocks of `inner` floats: the axes from `axis` on are the block.
struct Blocks {
  std::ptrdiff_t outer, inner;
};

Blocks blocks(const Shape& shape, int axis) {
  return {shape.count(0, axis), shape.count(axis, shape.rank())};
}

int positive_axis(const char* op, const Tensor& x, int axis) {
  const int positive = axis < 0 ? axis + x.rank() : axis;
  require(positive >= 0 && positive < x.rank(), op,
          [&] { return "axis " + std::to_string(axis) + " of " + x.shape().str(); });
  return positive;
}

// Elements [first, first + count) of `axis`, copied.
Tensor cut(const Tensor& x, int axis, int first, int count) {
  Shape shape = x.shape();
  shape.set(axis, count);
  Tensor y = Tensor::empty(shape, x.device());
  const Blocks from = blocks(x.shape(), axis), to = blocks(shape, axis);
  const std::ptrdiff_t unit = x.shape().count(axis + 1, x.rank());
  dispatch(x.device(), [&](auto on) {
    kernel::copy_blocks(on, x.data(on) + first * unit, from.inner, y.data(on), to.inner, to.inner,
                        to.outer);
  });
  return y;
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  require(shape.count() == x.count(), "reshape",
          [&] { return x.shape().str() + " has no shape " + shape.str(); });
  const Shape before = x.shape();
  constexpr Op op{"reshape", "the same numbers, another shape", "dy in the shape of x"};
  return record(op, x.view(shape), {&x}, [before](InputGradients& inputs, const Tensor& dy) {
    inputs.add(0, dy.view(before));
  });
}

Tensor transpose(const Tensor& x) {
  require(x.rank() >= 2, "transpose", [&] { return "a matrix wanted, not " + x.shape().str(); });
  const auto flipped = [](const Tensor& from) {
    Shape shape = from.shape();
    shape.set(-1, from.size(-2));
    shape.set(-2, from.size(-1));
    Tensor y = Tensor::empty(shape, from.device());
    dispatch(from.device(), [&](auto on) {
      kernel::transpose(on, from.data(on), y.data(on), shape.count(0, shape.rank() - 2),
                        from.size(-2), from.size(-1));
    });
    return y;
  };
  constexpr Op op{"transpose", "the last two axes swapped", "dx = dy^T"};
  return record(op, flipped(x), {&x}, [flipped](InputGradients& inputs, const Tensor& dy) {
    inputs.add(0, flipped(dy));
  });
}

Tensor concat(const Tensor& a, const Tensor& b, int axis) {
  const int at = positive_axis("concat", a, axis);
  Shape expected = a.shape();
  if (b.rank() == a.rank()) expected.set(at, b.size(at));
  require(b.shape() == expected, "concat", [&] {
    return "all axes but " + std::to_string(at) + " must be equal: a is " + a.shape().str() +
           ", b is " + b.shape().str();
  });
  Shape shape = a.shape();
  shape.set(at, a.size(at) + b.size(at));
  const Device device = common_device("concat", a, b);
  Tensor y = Tensor::empty(shape, device);
  const Blocks left = blocks(a.shape(), at), right = blocks(b.shape(), at);
  dispatch(device, [&](auto on) {
    const std::ptrdiff_t step = left.inner + right.inner;
    kernel::copy_blocks(on, a.data(on), left.inner, y.data(on), step, left.inner, left.outer);
    kernel::copy_blocks(on, b.data(on), right.inner, y.data(on) + left.inner, step, right.inner,
                        right.outer);
  });
  const int split = a.size(at), rest = b.size(at);
  constexpr Op op{"concat", "[a ; b]", "each part of dy goes back where it came from"};
  return record(op, y, {&a, &b}, [=](InputGradients& inputs, const Tensor& dy) {
    if (inputs.wanted(0)) inputs.add(0, cut(dy, at, 0, split));
    if (inputs.wanted(1)) inputs.add(1, cut(dy, at, split, rest));
  });
}

Tensor slice(const Tensor& x, int axis, int first, int count) {
  const int at = positive_axis("slice", x, axis);
  require(first >= 0 && count >= 0 && count <= x.size(at) - first, "slice", [&] {
    return words("there is no range [{}, {}) on axis {} of {}", first, long(first) + count, at,
                 x.shape().str());
  });
  const Shape shape = x.shape();
  constexpr Op op{"slice", "a part of one axis", "dy in its place, 0 elsewhere"};
  return record(op, cut(x, at, first, count), {&x}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dx = Tensor::zeros(shape, dy.device());
    const Blocks to = blocks(shape, at), from = blocks(dy.shape(), at);
    const std::ptrdiff_t unit = shape.count(at + 1, shape.rank());
    dispatch(dy.device(), [&](auto on) {
      kernel::copy_blocks(on, dy.data(on), from.inner, dx.data(on) + first * unit, to.inner,
                          from.inner, from.outer);
    });
    inputs.add(0, std::move(dx));
  });
}

Tensor gather_rows(const Tensor& x, const std::vector<int>& rows) {
  require(x.rank() >= 1, "gather_rows", [] { return "a scalar has no rows"; });
  for (int row : rows)
    require(row >= 0 && row < x.size(0), "gather_rows",
            [&] { return "row " + std::to_string(row) + " of " + x.shape().str(); });
  Shape shape = x.shape();
  shape.set(0, static_cast<int>(rows.size()));
  const int columns = static_cast<int>(x.shape().count(1, x.rank()));
  const Ids ids({shape[0]}, std::vector<std::int32_t>(rows.begin(), rows.end()));
  Tensor y = Tensor::empty(shape, x.device());
  dispatch(x.device(), [&](auto on) {
    kernel::gather(on, ids.data(on), x.data(on), y.data(on), ids.count(), columns);
  });
  const Shape before = x.shape();
  constexpr Op op{"gather_rows", "the chosen rows", "row dy_i is added to the row that was chosen"};
  return record(op, y, {&x}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dx = Tensor::zeros(before, dy.device());
    dispatch(dy.device(), [&](auto on) {
      kernel::scatter_add(on, {ids.begin(), ids.end()}, dy.data(on), dx.data(on), columns);
    });
    inputs.add(0, std::move(dx));
  });
}

}  // namespace xf
