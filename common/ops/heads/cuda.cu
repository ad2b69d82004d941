#include "cuda/launch.hpp"
#include "ops/heads/kernels.hpp"

namespace xf::kernel {

namespace {

// A warp finds out which row of x (B, T, H, Dk) its row of y (B, H, T, Dk) is.
__global__ void swap_middle_axes_rows(const float* x, float* y, std::ptrdiff_t rows, int t, int h,
                                      int d_k) {
  const std::ptrdiff_t row = cuda::warp_number();
  if (row >= rows) return;
  const std::ptrdiff_t time = row % t, head = row / t % h, b = row / t / h;
  const float* from = x + ((b * t + time) * h + head) * d_k;
  for (std::ptrdiff_t c = cuda::first_column(); c < d_k; c += cuda::column_step())
    y[row * d_k + c] = from[c];
}

}  // namespace

template <>
void swap_middle_axes(Cuda, const float* x, float* y, int batch, int t, int h, int d_k) {
  const std::ptrdiff_t rows = std::ptrdiff_t(batch) * t * h;
  cuda::launch(cuda::one_warp_each_stretch("swap_middle_axes_rows", rows, d_k),
               swap_middle_axes_rows, x, y, rows, t, h, d_k);
}

}  // namespace xf::kernel
