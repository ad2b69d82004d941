#include "cuda/launch.hpp"
#include "ops/cuda_columns.hpp"
#include "ops/rms_norm/kernels.hpp"

namespace xf::kernel {

namespace {

using cuda::lane_number, cuda::warp_lanes, cuda::warp_sum;

__global__ void rms_norm_rows(const float* x, const float* gamma, float eps, float* y,
                              float* inverses, int rows, int columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float* from = x + r * columns;
  float squares = 0;
  for (int j = lane_number(); j < columns; j += warp_lanes) squares += from[j] * from[j];
  const float inverse = 1 / sqrtf(warp_sum(squares) / float(columns) + eps);
  for (int j = lane_number(); j < columns; j += warp_lanes)
    y[r * columns + j] = gamma[j] * (from[j] * inverse);
  if (lane_number() == 0) inverses[r] = inverse;
}

// dx = (g - n mean(g n)) / rms, with g = gamma dy and n the normalised row.
__global__ void rms_norm_inputs(const float* x, const float* gamma, const float* inverses,
                                const float* dy, float* dx, int rows, int columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float *from = x + r * columns, *up = dy + r * columns;
  const float inverse = inverses[r];
  float products = 0;
  for (int j = lane_number(); j < columns; j += warp_lanes)
    products += gamma[j] * up[j] * (from[j] * inverse);
  const float mean = warp_sum(products) / float(columns);
  for (int j = lane_number(); j < columns; j += warp_lanes)
    dx[r * columns + j] = (gamma[j] * up[j] - from[j] * inverse * mean) * inverse;
}

// One block sums 32 columns over all rows.
__global__ void rms_norm_gammas(const float* x, const float* inverses, const float* dy,
                                float* dgamma, int rows, int columns) {
  __shared__ float partial[row_groups][warp_lanes];
  const auto [c, first, last] = column_part(rows);
  float sum = 0;
  if (c < columns)
    for (std::ptrdiff_t r = first; r < last; r += row_groups)
      sum += dy[r * columns + c] * (x[r * columns + c] * inverses[r]);
  sum = sum_of_groups(sum, partial);
  if (threadIdx.y == 0 && c < columns) dgamma[c] = sum;
}

}  // namespace

template <>
void rms_norm(Cuda, const float* x, const float* gamma, float eps, float* y, float* inverses,
              int rows, int columns) {
  cuda::launch(cuda::one_warp_each("rms_norm_rows", rows), rms_norm_rows, x, gamma, eps, y,
               inverses, rows, columns);
}

template <>
void rms_norm_backward(Cuda, const float* x, const float* gamma, const float* inverses,
                       const float* dy, float* dx, int rows, int columns) {
  cuda::launch(cuda::one_warp_each("rms_norm_inputs", rows), rms_norm_inputs, x, gamma, inverses,
               dy, dx, rows, columns);
}

template <>
void rms_norm_weights(Cuda, const float* x, const float* inverses, const float* dy, float* dgamma,
                      int rows, int columns) {
  const dim3 grid(cuda::blocks_for(columns, warp_lanes)), block(warp_lanes, row_groups);
  cuda::launch({"rms_norm_gammas", grid, block}, rms_norm_gammas, x, inverses, dy, dgamma, rows,
               columns);
}

}  // namespace xf::kernel
