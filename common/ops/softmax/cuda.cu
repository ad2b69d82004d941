#include "cuda/launch.hpp"
#include "ops/softmax/cuda_row.hpp"
#include "ops/softmax/kernels.hpp"

namespace xf::kernel {

namespace {

__global__ void softmax_rows(const float* x, float scale, MaskLayout mask, float* y,
                             std::ptrdiff_t rows, int columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float* from = x + r * columns;
  const std::int32_t* allowed = mask.row(r);
  warp_softmax(
      columns, scale, [=](int j) { return from[j]; },
      [=](int j) { return !allowed || allowed[j] != 0; }, y + r * columns);
}

__global__ void softmax_rows_backward(const float* y, const float* dy, float scale, float* dx,
                                      std::ptrdiff_t rows, int columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float* up = dy + r * columns;
  warp_softmax_backward(
      columns, scale, y + r * columns, [=](int j) { return up[j]; }, dx + r * columns);
}

}  // namespace

template <>
void softmax(Cuda, const float* x, float scale, const MaskLayout& mask, float* y,
             std::ptrdiff_t rows, int columns) {
  cuda::launch(cuda::one_warp_each("softmax_rows", rows), softmax_rows, x, scale, mask, y, rows,
               columns);
}

template <>
void softmax_backward(Cuda, const float* y, const float* dy, float scale, float* dx,
                      std::ptrdiff_t rows, int columns) {
  cuda::launch(cuda::one_warp_each("softmax_rows_backward", rows), softmax_rows_backward, y, dy,
               scale, dx, rows, columns);
}

}  // namespace xf::kernel
