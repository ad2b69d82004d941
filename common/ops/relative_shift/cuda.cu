#include "cuda/launch.hpp"
#include "ops/relative_shift/kernels.hpp"

namespace xf::kernel {

namespace {

// The index in x of element (r, c) of a (t, s) matrix of y, or -1 for a zero. With a zero before
// each row of x, so that rows are s + 1 long, y is what follows the first t elements: (r, c) is
// element r s + c + t, which is c + t - r elements past the start of row r.
__device__ std::ptrdiff_t source(std::ptrdiff_t r, std::ptrdiff_t c, int t, int s) {
  std::ptrdiff_t row = r, column = c + t - r;
  for (; column > s; column -= s + 1) ++row;
  return column == 0 ? -1 : row * s + column - 1;
}

__global__ void shift_rows(const float* x, float* y, std::ptrdiff_t rows, int t, int s) {
  const std::ptrdiff_t number = cuda::warp_number();
  if (number >= rows) return;
  const std::ptrdiff_t r = number % t;
  const float* matrix = x + (number - r) * s;
  for (std::ptrdiff_t c = cuda::first_column(); c < s; c += cuda::column_step()) {
    const std::ptrdiff_t from = source(r, c, t, s);
    y[number * s + c] = from < 0 ? 0 : matrix[from];
  }
}

// The first t - 1 elements of x do not appear in y; each of the others appears exactly once.
__global__ void shift_rows_backward(const float* dy, float* dx, std::ptrdiff_t rows, int t, int s) {
  const std::ptrdiff_t number = cuda::warp_number();
  if (number >= rows) return;
  const std::ptrdiff_t r = number % t;
  float* matrix = dx + (number - r) * s;
  for (std::ptrdiff_t c = cuda::first_column(); c < s; c += cuda::column_step()) {
    const std::ptrdiff_t from = source(r, c, t, s);
    if (from >= 0) matrix[from] = dy[number * s + c];
    if (r * s + c < t - 1) matrix[r * s + c] = 0;
  }
}

}  // namespace

template <>
void relative_shift(Cuda, const float* x, float* y, std::ptrdiff_t batch, int t, int s) {
  const std::ptrdiff_t rows = batch * t;
  cuda::launch(cuda::one_warp_each_stretch("shift_rows", rows, s), shift_rows, x, y, rows, t, s);
}

template <>
void relative_shift_backward(Cuda, const float* dy, float* dx, std::ptrdiff_t batch, int t, int s) {
  const std::ptrdiff_t rows = batch * t;
  cuda::launch(cuda::one_warp_each_stretch("shift_rows_backward", rows, s), shift_rows_backward, dy,
               dx, rows, t, s);
}

}  // namespace xf::kernel
