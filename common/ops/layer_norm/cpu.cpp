#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ops/layer_norm/kernels.hpp"
#include "ops/rows.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"

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
  const auto [sum_g, sum_gn] = sums_over(
      columns, [=](std::ptrdiff_t j) { return gamma[j] * up[j]; },
      [=](std::ptrdiff_t j, float g) { return g * ((from[j] - mean) * inverse); });
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
void layer_norm(Cpu, const float* x, const float* gamma, const float* beta, float eps,
                const Output& y, float* means, float* inverse_deviations, int rows, int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float* from = x + start;
    float* to = y.data + start;
    const float mean =
        sum_over(columns, [=](std::ptrdiff_t j) { return from[j]; }) / float(columns);
    const float squares =
        sum_over(columns, [=](std::ptrdiff_t j) { return (from[j] - mean) * (from[j] - mean); });
    const float inverse = 1 / std::sqrt(squares / float(columns) + eps);
    for (int j = 0; j < columns; ++j) to[j] = gamma[j] * ((from[j] - mean) * inverse) + beta[j];
    means[r] = mean;
    inverse_deviations[r] = inverse;
  });
}

// Row by row, so that x and dy are read from memory once; otherwise dx must not overwrite dy.
template <>
void layer_norm_backward(Cpu, const float* x, const float* gamma, const float* means,
                         const float* inverse_deviations, const float* dy, float* dx, float* dgamma,
                         float* dbeta, int rows, int columns) {
  const Backward all{x, gamma, means, inverse_deviations, dy, columns};
  // Rows per partial sum of dgamma and dbeta, whatever the number of threads.
  const std::ptrdiff_t chunk = rows_per_task(columns), chunks = (rows + chunk - 1) / chunk;
  std::vector<float> partial(dgamma ? static_cast<std::size_t>(chunks * 2 * columns) : 0, 0.0f);
  parallel_for(chunks, 1, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t c = first; c < last; ++c) {
      float* const sums = partial.data() + c * 2 * columns;
      for (std::ptrdiff_t r = c * chunk; r < std::min<std::ptrdiff_t>(rows, (c + 1) * chunk); ++r) {
        if (dgamma) add_weight_gradients(all, r, sums, sums + columns);
        if (dx) input_gradient(all, r, dx);
      }
    }
  });
  if (!dgamma) return;
  std::fill_n(dgamma, columns, 0.0f);
  std::fill_n(dbeta, columns, 0.0f);
  for (std::ptrdiff_t c = 0; c < chunks; ++c)
    for (int j = 0; j < columns; ++j) {
      dgamma[j] += partial[static_cast<std::size_t>(c * 2 * columns + j)];
      dbeta[j] += partial[static_cast<std::size_t>((c * 2 + 1) * columns + j)];
    }
}

}  // namespace xf::kernel
