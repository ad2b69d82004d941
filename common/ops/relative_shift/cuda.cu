#include "cuda/launch.hpp"
#include "ops/relative_shift/kernels.hpp"

namespace xf::kernel {

namespace {

// For element i of a (t, s) matrix of y: its index in x, or -1 for a zero. The matrix with a zero
// before each row is read from its second row on: element n + t of it is column c of row r.
__device__ std::ptrdiff_t source(std::ptrdiff_t i, int t, int s) {
  const std::ptrdiff_t place = i + t, row = place / (s + 1), column = place % (s + 1);
  return column == 0 ? -1 : row * s + column - 1;
}

__global__ void shift_each(const float* x, float* y, std::ptrdiff_t count, int t, int s) {
  const std::ptrdiff_t n = cuda::thread_number();
  if (n >= count) return;
  const std::ptrdiff_t size = std::ptrdiff_t(t) * s, from = source(n % size, t, s);
  y[n] = from < 0 ? 0 : x[n / size * size + from];
}

// The first t - 1 elements of x reach nothing; each of the others reaches one element of y.
__global__ void shift_each_backward(const float* dy, float* dx, std::ptrdiff_t count, int t,
                                    int s) {
  const std::ptrdiff_t n = cuda::thread_number();
  if (n >= count) return;
  const std::ptrdiff_t size = std::ptrdiff_t(t) * s, from = source(n % size, t, s);
  if (from >= 0) dx[n / size * size + from] = dy[n];
  if (n % size < t - 1) dx[n] = 0;
}

}  // namespace

template <>
void relative_shift(Cuda, const float* x, float* y, std::ptrdiff_t batch, int t, int s) {
  const std::ptrdiff_t count = batch * t * s;
  cuda::launch(cuda::one_thread_each("shift_each", count), shift_each, x, y, count, t, s);
}

template <>
void relative_shift_backward(Cuda, const float* dy, float* dx, std::ptrdiff_t batch, int t, int s) {
  const std::ptrdiff_t count = batch * t * s;
  cuda::launch(cuda::one_thread_each("shift_each_backward", count), shift_each_backward, dy, dx,
               count, t, s);
}

}  // namespace xf::kernel
