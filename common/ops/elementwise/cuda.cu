#include "cuda/each.hpp"
#include "cuda/launch.hpp"
#include "ops/cuda_columns.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/matmul/cuda_bf16.hpp"

namespace xf::kernel {

namespace {

using cuda::launch, cuda::thread_number;

struct Add {
  __device__ float operator()(std::ptrdiff_t, float a, float b) const { return a + b; }
};
struct Scale {
  float factor;
  __device__ float operator()(std::ptrdiff_t, float x) const { return factor * x; }
};

// The simplest possible kernel, with which the GPU page begins. The others process four numbers per
// thread (cuda/each.hpp).
__global__ void multiply_each(const float* a, const float* b, float* y, std::ptrdiff_t count) {
  const std::ptrdiff_t i = thread_number();
  if (i < count) y[i] = a[i] * b[i];
}

__global__ void add_row_to_each(const float* a, const float* b, cuda::Written y,
                                std::ptrdiff_t rows, std::ptrdiff_t columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  for (std::ptrdiff_t c = cuda::first_column(); c < columns; c += cuda::column_step())
    y.put(r * columns + c, a[r * columns + c] + b[c]);
}

// Uses few blocks, because often the factor is 1 and there is nothing to do.
__global__ void scale_each_by(const float* x, const float* factor, float* y, std::ptrdiff_t count) {
  const float by = *factor;
  if (by == 1 && y == x) return;
  for (std::ptrdiff_t i = thread_number(); i < count; i += std::ptrdiff_t(gridDim.x) * blockDim.x)
    y[i] = by * x[i];
}

__global__ void scale_each_row(const float* x, const float* factors, float* y, std::ptrdiff_t rows,
                               std::ptrdiff_t columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float factor = factors[r];
  for (std::ptrdiff_t c = cuda::first_column(); c < columns; c += cuda::column_step())
    y[r * columns + c] = factor * x[r * columns + c];
}

// Row s of sums, (S, columns), is the sum over the rows of stretch s.
__global__ void sum_columns(const float* x, float* sums, std::ptrdiff_t rows,
                            std::ptrdiff_t columns) {
  __shared__ float partial[row_groups][cuda::warp_lanes];
  const auto [c, first, last] = column_part(rows);
  float sum = 0;
  if (c < columns)
    for (std::ptrdiff_t r = first; r < last; r += row_groups) sum += x[r * columns + c];
  sum = sum_of_groups(sum, partial);
  if (threadIdx.y == 0 && c < columns) sums[blockIdx.y * columns + c] = sum;
}

__device__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// The normal distribution: density and cumulative distribution function.
__device__ float density(float x) { return expf(-0.5f * x * x) * 0.3989422804014327f; }
__device__ float cumulative(float x) { return 0.5f * (1.0f + erff(x * 0.7071067811865476f)); }

// The argument of the tanh in gelu_tanh's approximation of P(x), and its derivative.
constexpr float root_2_over_pi = 0.7978845608028654f, cubic = 0.044715f;
__device__ float bent(float x) { return root_2_over_pi * (x + cubic * x * x * x); }
__device__ float bent_slope(float x) { return root_2_over_pi * (1 + 3 * cubic * x * x); }

__device__ float activated(Curve curve, float x) {
  switch (curve) {
    case Curve::relu:
      return x < 0 ? 0 : x;
    case Curve::gelu:
      return x * cumulative(x);
    case Curve::gelu_tanh:
      return 0.5f * x * (1 + tanhf(bent(x)));
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
  switch (curve) {
    case Curve::relu:
      return x > 0 ? 1.0f : 0.0f;
    case Curve::gelu:
      return cumulative(x) + x * density(x);
    case Curve::gelu_tanh: {
      const float t = tanhf(bent(x));
      return 0.5f * (1 + t + x * (1 - t * t) * bent_slope(x));
    }
    case Curve::silu: {
      const float s = sigmoid(x);
      return s * (1 + x * (1 - s));
    }
    case Curve::sigmoid: {
      const float s = sigmoid(x);
      return s * (1 - s);
    }
    case Curve::tanh: {
      const float t = tanhf(x);
      return 1 - t * t;
    }
  }
  return 1;
}

struct Activate {
  Curve curve;
  __device__ float operator()(std::ptrdiff_t, float x) const { return activated(curve, x); }
};
struct ActivateBackward {
  Curve curve;
  __device__ float operator()(std::ptrdiff_t, float x, float dy) const {
    return dy * slope(curve, x);
  }
};

}  // namespace

template <>
void add(Cuda, const float* a, const float* b, const Output& y, std::ptrdiff_t rows,
         std::ptrdiff_t columns) {
  if (rows == 1)  // e.g. a residual, which no product reads
    cuda::for_each("add_each", columns, Add{}, y.data, a, b);
  else
    launch(cuda::one_warp_each_stretch("add_row_to_each", rows, columns), add_row_to_each, a, b,
           written(y, rows * columns), rows, columns);
}

template <>
void multiply(Cuda, const float* a, const float* b, float* y, std::ptrdiff_t count) {
  launch(cuda::one_thread_each("multiply_each", count), multiply_each, a, b, y, count);
}

template <>
void scale(Cuda, const float* x, float factor, float* y, std::ptrdiff_t count) {
  cuda::for_each("scale_each", count, Scale{factor}, y, x);
}

template <>
void scale_by(Cuda, const float* x, const float* factor, float* y, std::ptrdiff_t count) {
  constexpr std::ptrdiff_t most = 1024 * cuda::block_threads;
  launch(cuda::one_thread_each("scale_each_by", count < most ? count : most), scale_each_by, x,
         factor, y, count);
}

template <>
void scale_rows(Cuda, const float* x, const float* factors, float* y, std::ptrdiff_t rows,
                std::ptrdiff_t columns) {
  launch(cuda::one_warp_each_stretch("scale_each_row", rows, columns), scale_each_row, x, factors,
         y, rows, columns);
}

template <>
void sum_rows(Cuda, const float* x, float* sums, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  const dim3 grid = column_grid(rows, columns), second(grid.x);
  if (grid.y == 1) {
    launch({"sum_columns", grid, column_block()}, sum_columns, x, sums, rows, columns);
    return;
  }
  cuda::Buffer<float> partial(grid.y * static_cast<std::size_t>(columns));
  launch({"sum_columns", grid, column_block()}, sum_columns, x, partial.data(), rows, columns);
  launch({"sum_columns", second, column_block()}, sum_columns, partial.data(), sums, grid.y,
         columns);
}

template <>
void activate(Cuda, Curve curve, const float* x, float* y, std::ptrdiff_t count) {
  cuda::for_each("activate_each", count, Activate{curve}, y, x);
}

template <>
void activate_backward(Cuda, Curve curve, const float* x, const float* dy, const Output& dx,
                       std::ptrdiff_t count) {
  cuda::for_each("activate_each_backward", count, ActivateBackward{curve}, written(dx, count), x,
                 dy);
}

}  // namespace xf::kernel
