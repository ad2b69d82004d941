#include "ops/matmul/matmul.hpp"

#include "ops/check.hpp"
#include "ops/matmul/gemm.hpp"
#include "tensor/parallel.hpp"

namespace xf {

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

// One product per leading index; the stack is split over the threads.
void batched_gemm(Cpu on, std::ptrdiff_t batch, int m, int n, int k, kernel::Matrix a,
                  kernel::Matrix b, float* c, bool accumulate) {
  const std::ptrdiff_t a_step = std::ptrdiff_t(m) * k, b_step = std::ptrdiff_t(k) * n,
                       c_step = std::ptrdiff_t(m) * n;
  if (batch == 1) return kernel::gemm(on, m, n, k, a, b, c, n, accumulate);
  const std::ptrdiff_t grain = std::max<std::ptrdiff_t>(1, (1 << 18) / (c_step * k + 1));
  parallel_for(batch, grain, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i)
      kernel::gemm(on, m, n, k, {a.data + i * a_step, a.stride, a.transposed},
                   {b.data + i * b_step, b.stride, b.transposed}, c + i * c_step, n, accumulate);
  });
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, Transpose b_transposed) {
  const bool transposed = b_transposed == Transpose::yes;
  const Sizes s = check(a, b, transposed);
  Shape shape = a.shape();
  shape.set(-1, s.n);
  Tensor y = Tensor::empty(shape, a.device());
  dispatch(a.device(), [&](auto on) {
    batched_gemm(on, s.batch, s.m, s.n, s.k, {a.data(), s.k},
                 {b.data(), transposed ? s.k : s.n, transposed}, y.data(), false);
  });
  return record("matmul", y, {&a, &b}, [=](InputGradients& inputs, const Tensor& dy) {
    dispatch(dy.device(), [&](auto on) {
      if (inputs.wanted(0)) {  // da = dy b^T  (b was not transposed),  da = dy b  (it was)
        auto [da, sum] = inputs.accumulate(0, a.shape(), a.device());
        batched_gemm(on, s.batch, s.m, s.k, s.n, {dy.data(), s.n},
                     {b.data(), transposed ? s.k : s.n, !transposed}, da.data(), sum);
      }
      if (inputs.wanted(1)) {  // db = a^T dy,  or its transpose db = dy^T a
        auto [db, sum] = inputs.accumulate(1, b.shape(), b.device());
        if (transposed)
          batched_gemm(on, s.batch, s.n, s.k, s.m, {dy.data(), s.n, true}, {a.data(), s.k},
                       db.data(), sum);
        else
          batched_gemm(on, s.batch, s.k, s.n, s.m, {a.data(), s.k, true}, {dy.data(), s.n},
                       db.data(), sum);
      }
    });
  });
}

}  // namespace xf
