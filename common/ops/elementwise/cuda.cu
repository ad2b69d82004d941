#include "cuda/launch.hpp"
#include "ops/elementwise/kernels.hpp"

namespace xf::kernel {

namespace {

using cuda::launch, cuda::one_thread_each, cuda::thread_number;

__global__ void add_rows(const float* a, const float* b, float* y, std::ptrdiff_t count,
                         std::ptrdiff_t columns) {
  const std::ptrdiff_t i = thread_number();
  if (i < count) y[i] = a[i] + b[i % columns];
}

__global__ void multiply_each(const float* a, const float* b, float* y, std::ptrdiff_t count) {
  const std::ptrdiff_t i = thread_number();
  if (i < count) y[i] = a[i] * b[i];
}

__global__ void scale_each(const float* x, float factor, float* y, std::ptrdiff_t count) {
  const std::ptrdiff_t i = thread_number();
  if (i < count) y[i] = factor * x[i];
}

__global__ void scale_each_by(const float* x, const float* factor, float* y, std::ptrdiff_t count) {
  const std::ptrdiff_t i = thread_number();
  if (i < count && (*factor != 1 || y != x)) y[i] = *factor * x[i];
}

__global__ void scale_each_row(const float* x, const float* factors, float* y, std::ptrdiff_t count,
                               std::ptrdiff_t columns) {
  const std::ptrdiff_t i = thread_number();
  if (i < count) y[i] = factors[i / columns] * x[i];
}

// One block sums 32 columns: each warp every eighth row, so that a warp reads 32 adjacent
// numbers, and then one warp sums the eight partial sums.
constexpr int row_groups = 8;

__global__ void sum_columns(const float* x, float* sums, std::ptrdiff_t rows,
                            std::ptrdiff_t columns) {
  __shared__ float partial[row_groups][cuda::warp_lanes];
  const unsigned lane = threadIdx.x, group = threadIdx.y;
  const std::ptrdiff_t c = std::ptrdiff_t(blockIdx.x) * cuda::warp_lanes + lane;
  float sum = 0;
  if (c < columns)
    for (std::ptrdiff_t r = group; r < rows; r += row_groups) sum += x[r * columns + c];
  partial[group][lane] = sum;
  __syncthreads();
  if (group > 0 || c >= columns) return;
  for (int g = 1; g < row_groups; ++g) sum += partial[g][lane];
  sums[c] = sum;
}

__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// The normal distribution: density and cumulative.
__device__ float density(float x) { return expf(-0.5f * x * x) * 0.3989422804014327f; }
__device__ float cumulative(float x) { return 0.5f * (1.0f + erff(x * 0.7071067811865476f)); }

__device__ float activated(Curve curve, float x) {
  switch (curve) {
    case Curve::relu:
      return x < 0 ? 0 : x;
    case Curve::gelu:
      return x * cumulative(x);
    case Curve::silu:
      return x * sigmoid(x);
    case Curve::sigmoid:
      return sigmoid(x);
    case Curve::tanh:
      return tanhf(x);
  }
  return x;
}

__device__ float slope(Curve curve, float x) {
  const float s = sigmoid(x), t = tanhf(x);
  switch (curve) {
    case Curve::relu:
      return x > 0 ? 1.0f : 0.0f;
    case Curve::gelu:
      return cumulative(x) + x * density(x);
    case Curve::silu:
      return s * (1 + x * (1 - s));
    case Curve::sigmoid:
      return s * (1 - s);
    case Curve::tanh:
      return 1 - t * t;
  }
  return 1;
}

__global__ void activate_each(Curve curve, const float* x, float* y, std::ptrdiff_t count) {
  const std::ptrdiff_t i = thread_number();
  if (i < count) y[i] = activated(curve, x[i]);
}

__global__ void activate_each_backward(Curve curve, const float* x, const float* dy, float* dx,
                                       std::ptrdiff_t count) {
  const std::ptrdiff_t i = thread_number();
  if (i < count) dx[i] = dy[i] * slope(curve, x[i]);
}

}  // namespace

template <>
void add(Cuda, const float* a, const float* b, float* y, std::ptrdiff_t rows,
         std::ptrdiff_t columns) {
  const std::ptrdiff_t count = rows * columns;
  launch(one_thread_each("add_rows", count), add_rows, a, b, y, count, columns);
}

template <>
void multiply(Cuda, const float* a, const float* b, float* y, std::ptrdiff_t count) {
  launch(one_thread_each("multiply_each", count), multiply_each, a, b, y, count);
}

template <>
void scale(Cuda, const float* x, float factor, float* y, std::ptrdiff_t count) {
  launch(one_thread_each("scale_each", count), scale_each, x, factor, y, count);
}

template <>
void scale_by(Cuda, const float* x, const float* factor, float* y, std::ptrdiff_t count) {
  launch(one_thread_each("scale_each_by", count), scale_each_by, x, factor, y, count);
}

template <>
void scale_rows(Cuda, const float* x, const float* factors, float* y, std::ptrdiff_t rows,
                std::ptrdiff_t columns) {
  const std::ptrdiff_t count = rows * columns;
  launch(one_thread_each("scale_each_row", count), scale_each_row, x, factors, y, count, columns);
}

template <>
void sum_rows(Cuda, const float* x, float* sums, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  const dim3 grid(cuda::blocks_for(columns, cuda::warp_lanes)), block(cuda::warp_lanes, row_groups);
  launch({"sum_columns", grid, block}, sum_columns, x, sums, rows, columns);
}

template <>
void activate(Cuda, Curve curve, const float* x, float* y, std::ptrdiff_t count) {
  launch(one_thread_each("activate_each", count), activate_each, curve, x, y, count);
}

template <>
void activate_backward(Cuda, Curve curve, const float* x, const float* dy, float* dx,
                       std::ptrdiff_t count) {
  launch(one_thread_each("activate_each_backward", count), activate_each_backward, curve, x, dy, dx,
         count);
}

}  // namespace xf::kernel
