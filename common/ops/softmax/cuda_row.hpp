#pragma once

#include "cuda/launch.hpp"

namespace xf::kernel {

// One warp computes one row: each lane every 32nd element, so that the warp reads 32 adjacent
// numbers. All lanes of the warp must call these functions together.

// y = softmax(scale x) over the j for which allowed(j), and 0 elsewhere; y may overwrite x. Masked
// elements are replaced, not multiplied by 0: they may be NaN. A fully masked row becomes zeros.
template <class Read, class Allowed>
__device__ void warp_softmax(int columns, float scale, const Read& x, const Allowed& allowed,
                             float* y) {
  const int lane = cuda::lane_number();
  float top = -INFINITY;
  for (int j = lane; j < columns; j += cuda::warp_lanes)
    if (allowed(j)) top = fmaxf(top, x(j));
  top = cuda::warp_max(top);
  float sum = 0;
  for (int j = lane; j < columns; j += cuda::warp_lanes) {
    const float e = allowed(j) ? expf(scale * (x(j) - top)) : 0.0f;
    y[j] = e;
    sum += e;
  }
  sum = cuda::warp_sum(sum);
  const float factor = sum == 0 ? 0 : 1 / sum;
  for (int j = lane; j < columns; j += cuda::warp_lanes) y[j] *= factor;
}

// dx = scale y (dy - sum_k dy_k y_k); dx may overwrite dy.
template <class Read>
__device__ void warp_softmax_backward(int columns, float scale, const float* y, const Read& dy,
                                      float* dx) {
  const int lane = cuda::lane_number();
  float dot = 0;
  for (int j = lane; j < columns; j += cuda::warp_lanes) dot += y[j] * dy(j);
  dot = cuda::warp_sum(dot);
  for (int j = lane; j < columns; j += cuda::warp_lanes) dx[j] = scale * y[j] * (dy(j) - dot);
}

}  // namespace xf::kernel
