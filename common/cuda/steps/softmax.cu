#include "cuda/launch.hpp"
#include "cuda/steps/steps.hpp"

namespace xf::steps {

namespace {

using cuda::lane_number, cuda::warp_lanes;

// Step 1. Neighbouring threads read numbers that are a whole row apart: of the 32 bytes that each
// read fetches, only 4 are used.
__global__ void thread_a_row(const float* x, float* y, int rows, int columns) {
  const std::ptrdiff_t r = cuda::thread_number();
  if (r >= rows) return;
  const float* from = x + r * columns;
  float top = -INFINITY, sum = 0;
  for (int j = 0; j < columns; ++j) top = fmaxf(top, from[j]);
  for (int j = 0; j < columns; ++j) sum += expf(from[j] - top);
  for (int j = 0; j < columns; ++j) y[r * columns + j] = expf(from[j] - top) / sum;
}

// Step 2. The 32 lanes of a warp read 32 adjacent numbers, and combine their results.
__global__ void warp_a_row(const float* x, float* y, int rows, int columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float* from = x + r * columns;
  float top = -INFINITY, sum = 0;
  for (int j = lane_number(); j < columns; j += warp_lanes) top = fmaxf(top, from[j]);
  top = cuda::warp_max(top);
  for (int j = lane_number(); j < columns; j += warp_lanes) sum += expf(from[j] - top);
  sum = cuda::warp_sum(sum);
  for (int j = lane_number(); j < columns; j += warp_lanes)
    y[r * columns + j] = expf(from[j] - top) / sum;
}

// Step 3. Each load fetches four numbers: a quarter of the instructions, and more bytes in flight.
__global__ void four_at_once(const float4* x, float4* y, int rows, int fours) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float4* from = x + r * fours;
  float top = -INFINITY, sum = 0;
  for (int j = lane_number(); j < fours; j += warp_lanes) {
    const float4 v = from[j];
    top = fmaxf(fmaxf(fmaxf(top, v.x), fmaxf(v.y, v.z)), v.w);
  }
  top = cuda::warp_max(top);
  for (int j = lane_number(); j < fours; j += warp_lanes) {
    const float4 v = from[j];
    sum += expf(v.x - top) + expf(v.y - top) + expf(v.z - top) + expf(v.w - top);
  }
  const float factor = 1 / cuda::warp_sum(sum);
  for (int j = lane_number(); j < fours; j += warp_lanes) {
    const float4 v = from[j];
    y[r * fours + j] = {expf(v.x - top) * factor, expf(v.y - top) * factor,
                        expf(v.z - top) * factor, expf(v.w - top) * factor};
  }
}

}  // namespace

void softmax_thread_a_row(const float* x, float* y, int rows, int columns) {
  cuda::launch(cuda::one_thread_each("thread_a_row", rows), thread_a_row, x, y, rows, columns);
}
void softmax_warp_a_row(const float* x, float* y, int rows, int columns) {
  cuda::launch(cuda::one_warp_each("warp_a_row", rows), warp_a_row, x, y, rows, columns);
}
void softmax_four_at_once(const float* x, float* y, int rows, int columns) {
  cuda::launch(cuda::one_warp_each("four_at_once", rows), four_at_once,
               reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), rows, columns / 4);
}

}  // namespace xf::steps
