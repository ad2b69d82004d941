#include "ops/matmul/matmul.hpp"

#include "ops/check.hpp"
#include "ops/matmul/gemm.hpp"

namespace xf {

using kernel::Matrix;

namespace {

struct Sizes {
  std::ptrdiff_t batch;
  int m, n, k;
};

Sizes check(const Tensor& a, const Tensor& b, bool transposed) {
  const auto both = [&] { return "a is " + a.shape().str() + ", b is " + b.shape().str(); };
  require(a.rank() >= 2 && b.rank() == a.rank(), "matmul",
          [&] { return "two matrices, or two stacks of them, wanted: " + both(); });
  for (int axis = 0; axis < a.rank() - 2; ++axis)
    require(a.size(axis) == b.size(axis), "matmul",
            [&] { return "leading axes differ: " + both(); });
  require(a.size(-1) == b.size(transposed ? -1 : -2), "matmul",
          [&] { return "inner sizes differ: " + both() + (transposed ? ", transposed" : ""); });
  return {a.shape().count(0, a.rank() - 2), a.size(-2), b.size(transposed ? -2 : -1), a.size(-1)};
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, Transpose b_transposed) {
  const bool transposed = b_transposed == Transpose::yes;
  const Sizes s = check(a, b, transposed);
  Shape shape = a.shape();
  shape.set(-1, s.n);
  const Device device = common_device("matmul", a, b);
  Tensor y = Tensor::empty(shape, device);
  const auto left = [=](auto on) { return Matrix{a.data(on), s.m, s.k}; };
  const auto right = [=](auto on) {  // (k, n), whether or not it is transposed
    return transposed ? Matrix{b.data(on), s.n, s.k}.transpose() : Matrix{b.data(on), s.k, s.n};
  };
  dispatch(device, [&](auto on) {
    kernel::batched_gemm(on, s.batch, left(on), right(on), {y.data(on), s.m, s.n}, false);
  });
  const Op op = transposed ? Op{"matmul", "a b^T", "da = dy b, db = dy^T a"}
                           : Op{"matmul", "a b", "da = dy b^T, db = a^T dy"};
  return record(op, y, {&a, &b}, [=](InputGradients& inputs, const Tensor& dy) {
    dispatch(dy.device(), [&](auto on) {
      const Matrix dy_rows{dy.data(on), s.m, s.n};
      if (inputs.wanted(0)) {  // da = dy b^T
        auto [da, sum] = inputs.accumulate(0, a.shape(), a.device());
        kernel::batched_gemm(on, s.batch, dy_rows, right(on).transpose(), {da.data(on), s.m, s.k},
                             sum);
      }
      if (inputs.wanted(1)) {  // db = a^T dy or, if b is transposed, db = dy^T a
        auto [db, sum] = inputs.accumulate(1, b.shape(), b.device());
        if (transposed)
          kernel::batched_gemm(on, s.batch, dy_rows.transpose(), left(on), {db.data(on), s.n, s.k},
                               sum);
        else
          kernel::batched_gemm(on, s.batch, left(on).transpose(), dy_rows, {db.data(on), s.k, s.n},
                               sum);
      }
    });
  });
}

}  // namespace xf
