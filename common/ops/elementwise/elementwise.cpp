#include "ops/elementwise/elementwise.hpp"

#include "ops/check.hpp"
#include "ops/elementwise/kernels.hpp"

namespace xf {

namespace {

bool ends_with(const Shape& shape, const Shape& end) {
  const int lead = shape.rank() - end.rank();
  if (lead < 0) return false;
  for (int axis = 0; axis < end.rank(); ++axis)
    if (shape[lead + axis] != end[axis]) return false;
  return true;
}

// y = f(x), dx = dy * f'(x).
Tensor activation(const Op& op, kernel::Curve curve, const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), x.device());
  dispatch(x.device(),
           [&](auto on) { kernel::activate(on, curve, x.data(on), y.data(on), x.count()); });
  return record(op, y, {&x}, [x, curve](InputGradients& inputs, const Tensor& dy) {
    Tensor dx = reuse(dy);
    dispatch(x.device(), [&](auto on) {
      kernel::activate_backward(on, curve, x.data(on), dy.data(on), dx.output(on), x.count());
    });
    inputs.add(0, std::move(dx));
  });
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  require(ends_with(a.shape(), b.shape()), "add", [&] {
    return words("b must have the shape of a or of its last axes: a is {}, b is {}",
                 a.shape().str(), b.shape().str());
  });
  const Device device = common_device("add", a, b);
  Tensor y = Tensor::empty(a.shape(), device);
  const std::ptrdiff_t columns = b.count(), rows = columns == 0 ? 0 : a.count() / columns;
  dispatch(device,
           [&](auto on) { kernel::add(on, a.data(on), b.data(on), y.output(on), rows, columns); });
  const Shape b_shape = b.shape();
  constexpr Op op{"add", "a + b", "da = dy, db = dy"};
  return record(op, y, {&a, &b}, [=](InputGradients& inputs, const Tensor& dy) {
    if (inputs.wanted(1)) {  // b was repeated `rows` times: db is the sum over the repeats
      Tensor db = rows == 1 ? dy.view(b_shape) : Tensor::empty(b_shape, dy.device());
      if (rows != 1) {
        dispatch(dy.device(),
                 [&](auto on) { kernel::sum_rows(on, dy.data(on), db.data(on), rows, columns); });
      }
      inputs.add(1, std::move(db));
    }
    inputs.add(0, dy);
  });
}

Tensor multiply(const Tensor& a, const Tensor& b) {
  require(a.shape() == b.shape(), "multiply",
          [&] { return "shapes differ: a is " + a.shape().str() + ", b is " + b.shape().str(); });
  const auto product = [](const Tensor& left, const Tensor& right) {
    const Device device = common_device("multiply", left, right);
    Tensor y = Tensor::empty(left.shape(), device);
    dispatch(device, [&](auto on) {
      kernel::multiply(on, left.data(on), right.data(on), y.data(on), y.count());
    });
    return y;
  };
  constexpr Op op{"multiply", "a * b, element by element", "da = dy * b, db = dy * a"};
  return record(op, product(a, b), {&a, &b},
                [a, b, product](InputGradients& inputs, const Tensor& dy) {
                  if (inputs.wanted(0)) inputs.add(0, product(dy, b));
                  if (inputs.wanted(1)) inputs.add(1, product(dy, a));
                });
}

Tensor scale(const Tensor& x, float factor) {
  const auto scaled = [factor](const Tensor& from) {
    Tensor y = Tensor::empty(from.shape(), from.device());
    dispatch(from.device(),
             [&](auto on) { kernel::scale(on, from.data(on), factor, y.data(on), y.count()); });
    return y;
  };
  constexpr Op op{"scale", "c x", "dx = c dy"};
  return record(op, scaled(x), {&x},
                [scaled](InputGradients& inputs, const Tensor& dy) { inputs.add(0, scaled(dy)); });
}

Tensor scale_rows(const Tensor& x, const Tensor& factors) {
  require(x.rank() >= 1 && factors.count() == x.shape().rows(), "scale_rows", [&] {
    return "one factor a row wanted: x is " + x.shape().str() + ", the factors are " +
           factors.shape().str();
  });
  const auto scaled = [factors](const Tensor& from) {
    const Device device = common_device("scale_rows", from, factors);
    Tensor y = Tensor::empty(from.shape(), device);
    dispatch(device, [&](auto on) {
      kernel::scale_rows(on, from.data(on), factors.data(on), y.data(on), from.shape().rows(),
                         from.size(-1));
    });
    return y;
  };
  constexpr Op op{"scale_rows", "row i of x, times w_i", "row i of dy, times w_i"};
  return record(op, scaled(x), {&x},
                [scaled](InputGradients& inputs, const Tensor& dy) { inputs.add(0, scaled(dy)); });
}

Tensor relu(const Tensor& x) {
  return activation({"relu", "max(0, x)", "dx = dy where x > 0, else 0"}, kernel::Curve::relu, x);
}
Tensor gelu(const Tensor& x) {
  return activation({"gelu", "x Phi(x)", "dx = dy (Phi(x) + x phi(x))"}, kernel::Curve::gelu, x);
}
Tensor gelu_tanh(const Tensor& x) {
  return activation({"gelu_tanh", "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2",
                     "dx = dy ((1 + t) / 2 + x (1 - t^2) u' / 2), t = tanh(u)"},
                    kernel::Curve::gelu_tanh, x);
}
Tensor silu(const Tensor& x) {
  return activation({"silu", "x / (1 + e^-x)", "dx = dy s (1 + x (1 - s)), s = sigmoid(x)"},
                    kernel::Curve::silu, x);
}
Tensor sigmoid(const Tensor& x) {
  return activation({"sigmoid", "1 / (1 + e^-x)", "dx = dy y (1 - y)"}, kernel::Curve::sigmoid, x);
}
Tensor tanh(const Tensor& x) {
  return activation({"tanh", "tanh x", "dx = dy (1 - y^2)"}, kernel::Curve::tanh, x);
}

}  // namespace xf
