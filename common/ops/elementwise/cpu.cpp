#include <algorithm>
#include <numbers>

#include "ops/elementwise/kernels.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

constexpr std::ptrdiff_t grain = 1 << 15;  // with fewer elements, a second thread does not pay off

template <class Body>
void for_each(std::ptrdiff_t count, const Body& body) {
  parallel_for(count, grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
#pragma omp simd
    for (std::ptrdiff_t i = first; i < last; ++i) body(i);
  });
}

float sigmoid(float x) { return 1.0f / (1.0f + fast_exp(-x)); }
float hyperbolic_tangent(float x) { return 2 * sigmoid(2 * x) - 1; }

// The normal distribution: density and cumulative distribution function.
float density(float x) { return fast_exp(-0.5f * x * x) * 0.3989422804014327f; }
float cumulative(float x) {
  return 0.5f * (1.0f + fast_erf(x * std::numbers::sqrt2_v<float> * 0.5f));
}

// The argument of the tanh in gelu_tanh's approximation of P(x), and its derivative.
constexpr float root_2_over_pi = 0.7978845608028654f, cubic = 0.044715f;
float bent(float x) { return root_2_over_pi * (x + cubic * x * x * x); }
float bent_slope(float x) { return root_2_over_pi * (1 + 3 * cubic * x * x); }

}  // namespace

template <>
void add(Cpu, const float* a, const float* b, const Output& to, std::ptrdiff_t rows,
         std::ptrdiff_t columns) {
  float* const y = to.data;
  if (rows == 1) return for_each(columns, [=](std::ptrdiff_t i) { y[i] = a[i] + b[i]; });
  parallel_for(rows, std::max<std::ptrdiff_t>(1, grain / (columns + 1)),
               [=](auto first, auto last) {
                 for (std::ptrdiff_t r = first; r < last; ++r)
                   for (std::ptrdiff_t c = 0; c < columns; ++c)
                     y[r * columns + c] = a[r * columns + c] + b[c];
               });
}

template <>
void multiply(Cpu, const float* a, const float* b, float* y, std::ptrdiff_t count) {
  for_each(count, [=](std::ptrdiff_t i) { y[i] = a[i] * b[i]; });
}

template <>
void scale(Cpu, const float* x, float factor, float* y, std::ptrdiff_t count) {
  for_each(count, [=](std::ptrdiff_t i) { y[i] = factor * x[i]; });
}

template <>
void scale_by(Cpu on, const float* x, const float* factor, float* y, std::ptrdiff_t count) {
  if (*factor != 1 || y != x) scale(on, x, *factor, y, count);
}

template <>
void scale_rows(Cpu, const float* x, const float* factors, float* y, std::ptrdiff_t rows,
                std::ptrdiff_t columns) {
  parallel_for(rows, std::max<std::ptrdiff_t>(1, grain / (columns + 1)),
               [=](auto first, auto last) {
                 for (std::ptrdiff_t r = first; r < last; ++r)
                   for (std::ptrdiff_t c = 0; c < columns; ++c)
                     y[r * columns + c] = factors[r] * x[r * columns + c];
               });
}

template <>
void sum_rows(Cpu, const float* x, float* sums, std::ptrdiff_t rows, std::ptrdiff_t columns) {
  parallel_for(columns, std::max<std::ptrdiff_t>(16, grain / (rows + 1)),
               [=](auto first, auto last) {
                 std::fill(sums + first, sums + last, 0.0f);
                 for (std::ptrdiff_t r = 0; r < rows; ++r)
                   for (std::ptrdiff_t c = first; c < last; ++c) sums[c] += x[r * columns + c];
               });
}

template <>
void activate(Cpu, Curve curve, const float* x, float* y, std::ptrdiff_t count) {
  switch (curve) {
    case Curve::relu:
      return for_each(count, [=](std::ptrdiff_t i) { y[i] = x[i] < 0 ? 0 : x[i]; });
    case Curve::gelu:
      return for_each(count, [=](std::ptrdiff_t i) { y[i] = x[i] * cumulative(x[i]); });
    case Curve::gelu_tanh:
      return for_each(count, [=](std::ptrdiff_t i) {
        y[i] = 0.5f * x[i] * (1 + hyperbolic_tangent(bent(x[i])));
      });
    case Curve::silu:
      return for_each(count, [=](std::ptrdiff_t i) { y[i] = x[i] * sigmoid(x[i]); });
    case Curve::sigmoid:
      return for_each(count, [=](std::ptrdiff_t i) { y[i] = sigmoid(x[i]); });
    case Curve::tanh:
      return for_each(count, [=](std::ptrdiff_t i) { y[i] = hyperbolic_tangent(x[i]); });
  }
}

template <>
void activate_backward(Cpu, Curve curve, const float* x, const float* dy, const Output& to,
                       std::ptrdiff_t count) {
  float* const dx = to.data;
  switch (curve) {
    case Curve::relu:
      return for_each(count, [=](std::ptrdiff_t i) {
        const float up = dy[i];  // always read, so that the loop has no branch
        dx[i] = x[i] > 0 ? up : 0.0f;
      });
    case Curve::gelu:
      return for_each(count, [=](std::ptrdiff_t i) {
        dx[i] = dy[i] * (cumulative(x[i]) + x[i] * density(x[i]));
      });
    case Curve::gelu_tanh:
      return for_each(count, [=](std::ptrdiff_t i) {
        const float t = hyperbolic_tangent(bent(x[i]));
        dx[i] = dy[i] * 0.5f * (1 + t + x[i] * (1 - t * t) * bent_slope(x[i]));
      });
    case Curve::silu:
      return for_each(count, [=](std::ptrdiff_t i) {
        const float s = sigmoid(x[i]);
        dx[i] = dy[i] * s * (1 + x[i] * (1 - s));
      });
    case Curve::sigmoid:
      return for_each(count, [=](std::ptrdiff_t i) {
        const float s = sigmoid(x[i]);
        dx[i] = dy[i] * s * (1 - s);
      });
    case Curve::tanh:
      return for_each(count, [=](std::ptrdiff_t i) {
        const float s = hyperbolic_tangent(x[i]);
        dx[i] = dy[i] * (1 - s * s);
      });
  }
}

}  // namespace xf::kernel
