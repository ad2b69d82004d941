#include <algorithm>
#include <cstddef>
#include <limits>

#include "ops/softmax/kernels.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

std::ptrdiff_t rows_per_task(int columns) { return std::max(1, (1 << 14) / columns); }

void divide(float* y, float sum, int columns) {
  const float factor = sum > 0 || sum != sum ? 1 / sum : 0;  // NaN stays; an empty row is zeros
  for (int j = 0; j < columns; ++j) y[j] *= factor;
}

void softmax_row(const float* x, float scale, float* y, int columns) {
  float top = lowest, sum = 0;
#pragma omp simd reduction(max : top)
  for (int j = 0; j < columns; ++j) top = x[j] > top ? x[j] : top;
#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < columns; ++j) {
    y[j] = fast_exp(scale * (x[j] - top));
    sum += y[j];
  }
  divide(y, sum, columns);
}

// Forbidden elements are replaced, not multiplied by 0: they may be NaN.
void masked_softmax_row(const float* x, float scale, const std::int32_t* allowed, float* y,
                        int columns) {
  float top = lowest, sum = 0;
#pragma omp simd reduction(max : top)
  for (int j = 0; j < columns; ++j) {
    const float seen = allowed[j] ? x[j] : lowest;
    top = seen > top ? seen : top;
  }
#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < columns; ++j) {
    const float e = fast_exp(scale * (x[j] - top));
    y[j] = allowed[j] ? e : 0.0f;
    sum += y[j];
  }
  divide(y, sum, columns);
}

}  // namespace

void softmax(Cpu, const float* x, float scale, const MaskLayout& mask, float* y,
             std::ptrdiff_t rows, int columns) {
  parallel_for(rows, rows_per_task(columns), [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t r = first; r < last; ++r) {
      const float* from = x + r * columns;
      if (const std::int32_t* allowed = mask.row(r))
        masked_softmax_row(from, scale, allowed, y + r * columns, columns);
      else
        softmax_row(from, scale, y + r * columns, columns);
    }
  });
}

void softmax_backward(Cpu, const float* y, const float* dy, float scale, float* dx,
                      std::ptrdiff_t rows, int columns) {
  parallel_for(rows, rows_per_task(columns), [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t r = first; r < last; ++r) {
      const float *yr = y + r * columns, *dyr = dy + r * columns;
      float* out = dx + r * columns;
      float dot = 0;
#pragma omp simd reduction(+ : dot)
      for (int j = 0; j < columns; ++j) dot += yr[j] * dyr[j];
#pragma omp simd
      for (int j = 0; j < columns; ++j) out[j] = scale * yr[j] * (dyr[j] - dot);
    }
  });
}

}  // namespace xf::kernel
