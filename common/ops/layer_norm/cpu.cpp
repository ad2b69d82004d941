#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "ops/layer_norm/kernels.hpp"
#include "ops/rows.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

std::ptrdiff_t rows_per_task(int columns) { return std::max(1, (1 << 14) / (columns + 1)); }

struct Backward {
  const float *x, *gamma, *means, *inverse_deviations, *dy;
  int columns;
};

void input_gradient(const Backward& b, std::ptrdiff_t r, float* dx) {
  const float *from = b.x + r * b.columns, *up = b.dy + r * b.columns, *gamma = b.gamma;
  float* out = dx + r * b.columns;
  const float mean = b.means[r], inverse = b.inverse_deviations[r];
  const int columns = b.columns;
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
}

void add_weight_gradients(const Backward& b, std::ptrdiff_t r, float* dgamma, float* dbeta) {
  const float *from = b.x + r * b.columns, *up = b.dy + r * b.columns;
  const float mean = b.means[r], inverse = b.inverse_deviations[r];
  const int columns = b.columns;
#pragma omp simd
  for (int j = 0; j < columns; ++j) {
    dgamma[j] += up[j] * ((from[j] - mean) * inverse);
    dbeta[j] += up[j];
  }
}

}  // namespace

template <>
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

// Row by row, so that x and dy are read from memory once; dx may overwrite dy only then.
template <>
void layer_norm_backward(Cpu, const float* x, const float* gamma, const float* means,
                         const float* inverse_deviations, const float* dy, float* dx, float* dgamma,
                         float* dbeta, int rows, int columns) {
  const Backward all{x, gamma, means, inverse_deviations, dy, columns};
  std::mutex mutex;
  std::map<std::ptrdiff_t, std::vector<float>> partial;  // dgamma and dbeta, by their first row
  parallel_for(rows, rows_per_task(columns), [&](std::ptrdiff_t first, auto last) {
    std::vector<float> sums(static_cast<std::size_t>(2 * columns), 0.0f);
    for (std::ptrdiff_t r = first; r < last; ++r) {
      if (dgamma) add_weight_gradients(all, r, sums.data(), sums.data() + columns);
      if (dx) input_gradient(all, r, dx);
    }
    const std::lock_guard lock(mutex);
    partial.emplace(first, std::move(sums));
  });
  if (!dgamma) return;
  std::fill_n(dgamma, columns, 0.0f);
  std::fill_n(dbeta, columns, 0.0f);
  for (const auto& [first, sums] : partial)
    for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j) {
      dgamma[j] += sums[j];
      dbeta[j] += sums[j + static_cast<std::size_t>(columns)];
    }
}

}  // namespace xf::kernel
