#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/cross_entropy/kernels.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

template <class Body>
void for_each_row(std::ptrdiff_t rows, int columns, const Body& body) {
  parallel_for(rows, std::max(1, (1 << 14) / columns), [&](std::ptrdiff_t first, auto last) {
    for (std::ptrdiff_t r = first; r < last; ++r) body(r, r * columns);
  });
}

// out = factor exp(x - lse) - spread. A function of its own: through a lambda's captures the
// compiler cannot tell that `out` leaves the factors alone, and does not vectorise.
[[gnu::noinline]] void gradient_row(const float* x, float lse, float factor, float spread,
                                    float* out, int columns) {
#pragma omp simd
  for (int v = 0; v < columns; ++v) out[v] = factor * fast_exp(x[v] - lse) - spread;
}

}  // namespace

void log_sum_exp(Cpu, const float* x, float* sums, std::ptrdiff_t rows, int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float* from = x + start;
    float top = -std::numeric_limits<float>::infinity(), sum = 0;
#pragma omp simd reduction(max : top)
    for (int v = 0; v < columns; ++v) top = from[v] > top ? from[v] : top;
#pragma omp simd reduction(+ : sum)
    for (int v = 0; v < columns; ++v) sum += fast_exp(from[v] - top);
    sums[r] = top + std::log(sum);
  });
}

double cross_entropy(Cpu, const float* x, const std::int32_t* targets, const float* sums,
                     std::int32_t ignore, float smoothing, std::ptrdiff_t rows, int columns) {
  std::vector<double> losses(static_cast<std::size_t>(rows), 0.0);
  for_each_row(rows, columns, [&](std::ptrdiff_t r, std::ptrdiff_t start) {
    if (targets[r] == ignore) return;
    const float* from = x + start;
    float total = 0;
    if (smoothing > 0) {
#pragma omp simd reduction(+ : total)
      for (int v = 0; v < columns; ++v) total += from[v];
    }
    losses[static_cast<std::size_t>(r)] =
        sums[r] - (1 - smoothing) * double(from[targets[r]]) - smoothing * double(total) / columns;
  });
  double loss = 0;
  for (double row_loss : losses) loss += row_loss;
  return loss;
}

void cross_entropy_backward(Cpu, const float* x, const std::int32_t* targets, const float* sums,
                            std::int32_t ignore, float smoothing, float factor, float* dx,
                            std::ptrdiff_t rows, int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float* from = x + start;
    float* out = dx + start;
    if (targets[r] == ignore) {
      std::fill_n(out, columns, 0.0f);
      return;
    }
    gradient_row(from, sums[r], factor, factor * smoothing / float(columns), out, columns);
    out[targets[r]] -= factor * (1 - smoothing);
  });
}

void subtract_from_rows(Cpu, const float* x, const float* sums, float* y, std::ptrdiff_t rows,
                        int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    for (int v = 0; v < columns; ++v) y[start + v] = x[start + v] - sums[r];
  });
}

}  // namespace xf::kernel
