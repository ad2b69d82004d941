#include "ops/divergence/kernels.hpp"
#include "ops/rows.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

using Divergence = TwoSums;  // KL(p || q), KL(q || p)

[[gnu::noinline]] Divergence row_divergence(const float* a, const float* b, float a_sum,
                                            float b_sum, int columns) {
  return sums_over(
      columns,
      [=](std::ptrdiff_t v) {
        const float log_p = a[v] - a_sum, log_q = b[v] - b_sum;
        return fast_exp(log_p) * (log_p - log_q);
      },
      [=](std::ptrdiff_t v, float) {
        const float log_p = a[v] - a_sum, log_q = b[v] - b_sum;
        return fast_exp(log_q) * (log_q - log_p);
      });
}

[[gnu::noinline]] void row_gradients(const float* a, const float* b, float a_sum, float b_sum,
                                     Divergence known, float factor, float* da, float* db,
                                     int columns) {
#pragma omp simd
  for (int v = 0; v < columns; ++v) {
    const float log_p = a[v] - a_sum, log_q = b[v] - b_sum;
    const float p = fast_exp(log_p), q = fast_exp(log_q), d = log_p - log_q;
    da[v] = factor * (p * (d - known.first) + p - q);
    db[v] = factor * (q * (-d - known.second) + q - p);
  }
}

}  // namespace

template <>
void divergences(Cpu, const float* a, const float* b, const float* a_sums, const float* b_sums,
                 float* forth, float* back, std::ptrdiff_t rows, int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const Divergence found = row_divergence(a + start, b + start, a_sums[r], b_sums[r], columns);
    forth[r] = found.first;
    back[r] = found.second;
  });
}

template <>
void divergence_backward(Cpu, const float* a, const float* b, const float* a_sums,
                         const float* b_sums, const float* forth, const float* back, double divisor,
                         const float* dloss, float* da, float* db, std::ptrdiff_t rows,
                         int columns) {
  const float factor = *dloss / static_cast<float>(divisor);
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    row_gradients(a + start, b + start, a_sums[r], b_sums[r], {forth[r], back[r]}, factor,
                  da + start, db + start, columns);
  });
}

}  // namespace xf::kernel
