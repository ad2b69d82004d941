#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "ops/softmax/kernels.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

std::ptrdiff_t rows_per_task(int columns) { return std::max(1, (1 << 14) / (columns + 1)); }

// Forbidden elements are replaced, not multiplied by 0: they may be NaN.
[[gnu::always_inline]] inline void softmax_row(const float* x, float scale,
                                               const std::int32_t* allowed, float* y, int columns) {
  float top = lowest, sum = 0;
#pragma omp simd reduction(max : top)
  for (int j = 0; j < columns; ++j) {
    const float seen = !allowed || allowed[j] ? x[j] : lowest;
    top = seen > top ? seen : top;
  }
#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < columns; ++j) {
    const float e = fast_exp(scale * (x[j] - top));
    y[j] = !allowed || allowed[j] ? e : 0.0f;
    sum += y[j];
  }
  const float factor = sum > 0 || sum != sum ? 1 / sum : 0;  // NaN stays; an empty row is zeros
#pragma omp simd
  for (int j = 0; j < columns; ++j) y[j] *= factor;
}

// dx = scale y (dy - sum_k dy_k y_k).
[[gnu::always_inline]] inline void softmax_backward_row(const float* y, const float* dy,
                                                        float scale, float* dx, int columns) {
  float dot = 0;
#pragma omp simd reduction(+ : dot)
  for (int j = 0; j < columns; ++j) dot += y[j] * dy[j];
#pragma omp simd
  for (int j = 0; j < columns; ++j) dx[j] = scale * y[j] * (dy[j] - dot);
}

// Calls body(columns), as a constant where rows are short: then the loops over a row, inlined, have
// no prologue and no rest, which would cost more than the row.
template <class Body>
void with_constant_columns(int columns, const Body& body) {
  if (columns == 16) return body(std::integral_constant<int, 16>{});
  if (columns == 32) return body(std::integral_constant<int, 32>{});
  if (columns == 64) return body(std::integral_constant<int, 64>{});
  body(columns);
}

}  // namespace

void softmax(Cpu, const float* x, float scale, const MaskLayout& mask, float* y,
             std::ptrdiff_t rows, int columns) {
  parallel_for(rows, rows_per_task(columns), [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    with_constant_columns(columns, [&](auto count) {
      for (std::ptrdiff_t r = first; r < last; ++r) {
        const float* from = x + r * count;
        if (const std::int32_t* allowed = mask.row(r))
          softmax_row(from, scale, allowed, y + r * count, count);
        else
          softmax_row(from, scale, nullptr, y + r * count, count);
      }
    });
  });
}

void softmax_backward(Cpu, const float* y, const float* dy, float scale, float* dx,
                      std::ptrdiff_t rows, int columns) {
  parallel_for(rows, rows_per_task(columns), [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    with_constant_columns(columns, [=](auto count) {
      for (std::ptrdiff_t r = first; r < last; ++r)
        softmax_backward_row(y + r * count, dy + r * count, scale, dx + r * count, count);
    });
  });
}

}  // namespace xf::kernel
