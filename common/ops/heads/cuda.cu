#include "cuda/launch.hpp"
#include "ops/heads/kernels.hpp"

namespace xf::kernel {

namespace {

// One thread per element of y (B, H, T, Dk): which element of x (B, T, H, Dk) is it?
__global__ void swap_middle_axes_each(const float* x, float* y, std::ptrdiff_t count, int t, int h,
                                      int d_k) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i >= count) return;
  const std::ptrdiff_t c = i % d_k, row = i / d_k;
  const std::ptrdiff_t time = row % t, head = row / t % h, b = row / t / h;
  y[i] = x[((b * t + time) * h + head) * d_k + c];
}

}  // namespace

template <>
void swap_middle_axes(Cuda, const float* x, float* y, int batch, int t, int h, int d_k) {
  const std::ptrdiff_t count = std::ptrdiff_t(batch) * t * h * d_k;
  cuda::launch(cuda::one_thread_each("swap_middle_axes_each", count), swap_middle_axes_each, x, y,
               count, t, h, d_k);
}

}  // namespace xf::kernel
