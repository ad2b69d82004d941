#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ops/layer_norm/kernels.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

template <class Body>
void for_each_row(int rows, int columns, const Body& body) {
  parallel_for(rows, std::max(1, (1 << 14) / columns), [&](std::ptrdiff_t first, auto last) {
    for (std::ptrdiff_t r = first; r < last; ++r) body(r, r * columns);
  });
}

}  // namespace

void layer_norm(Cpu, const float* x, const float* gamma, const float* beta, float eps, float* y,
                float* means, float* inverse_deviations, int rows, int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float* from = x + start;
    float* to = y + start;
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < columns; ++j) sum += from[j];
    const float mean = sum / float(columns);
#pragma omp simd reduction(+ : squares)
    for (int j = 0; j < columns; ++j) squares += (from[j] - mean) * (from[j] - mean);
    const float inverse = 1 / std::sqrt(squares / float(columns) + eps);
    for (int j = 0; j < columns; ++j) to[j] = gamma[j] * ((from[j] - mean) * inverse) + beta[j];
    means[r] = mean;
    inverse_deviations[r] = inverse;
  });
}

void layer_norm_backward(Cpu, const float* x, const float* gamma, const float* means,
                         const float* inverse_deviations, const float* dy, float* dx, int rows,
                         int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float *from = x + start, *up = dy + start;
    float* out = dx + start;
    const float mean = means[r], inverse = inverse_deviations[r];
    float sum_g = 0, sum_gn = 0;
#pragma omp simd reduction(+ : sum_g, sum_gn)
    for (int j = 0; j < columns; ++j) {
      const float g = gamma[j] * up[j];
      sum_g += g;
      sum_gn += g * ((from[j] - mean) * inverse);
    }
    const float mean_g = sum_g / float(columns), mean_gn = sum_gn / float(columns);
#pragma omp simd
    for (int j = 0; j < columns; ++j) {
      const float n = (from[j] - mean) * inverse;
      out[j] = (gamma[j] * up[j] - mean_g - n * mean_gn) * inverse;
    }
  });
}

void layer_norm_backward_weights(Cpu, const float* x, const float* means,
                                 const float* inverse_deviations, const float* dy, float* dgamma,
                                 float* dbeta, int rows, int columns) {
  std::fill_n(dgamma, columns, 0.0f);
  std::fill_n(dbeta, columns, 0.0f);
  for (int r = 0; r < rows; ++r) {
    const float* from = x + std::ptrdiff_t(r) * columns;
    const float* up = dy + std::ptrdiff_t(r) * columns;
    const float mean = means[r], inverse = inverse_deviations[r];
    for (int j = 0; j < columns; ++j) {
      dgamma[j] += up[j] * ((from[j] - mean) * inverse);
      dbeta[j] += up[j];
    }
  }
}

}  // namespace xf::kernel
