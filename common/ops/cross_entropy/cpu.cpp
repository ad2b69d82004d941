#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/cross_entropy/kernels.hpp"
#include "ops/rows.hpp"
#include "tensor/portable_math.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

float row_log_sum_exp(const float* x, int columns) {
  const float top = largest(columns, [x](int v) { return x[v]; });
  const float sum = sum_over(columns, [=](std::ptrdiff_t v) { return fast_exp(x[v] - top); });
  return top + static_cast<float>(portable::log(sum));
}

double row_loss(const float* x, float lse, std::int32_t target, float smoothing, int columns) {
  const float total = smoothing > 0 ? sum_over(columns, [=](std::ptrdiff_t v) { return x[v]; }) : 0;
  return lse - (1 - smoothing) * double(x[target]) - smoothing * double(total) / columns;
}

// dx = factor (p - q), the softmax minus the expected distribution. A separate function: with a
// lambda's captures the compiler cannot see that writing to `dx` does not change the factors, and
// does not vectorise.
[[gnu::noinline]] void row_gradient(const float* x, float lse, std::int32_t target, float smoothing,
                                    float factor, float* dx, int columns) {
  const float spread = factor * smoothing / float(columns);
#pragma omp simd
  for (int v = 0; v < columns; ++v) dx[v] = factor * fast_exp(x[v] - lse) - spread;
  dx[target] -= factor * (1 - smoothing);
}

// Returns the loss of a row and overwrites the row with its gradient, factor (p - q). The
// exponentials are computed once, for the sum and for p.
[[gnu::noinline]] double row_loss_and_gradient(float* x, std::int32_t target, float smoothing,
                                               float factor, int columns) {
  const float top = largest(columns, [x](int v) { return x[v]; });
  const float total = sum_over(columns, [=](std::ptrdiff_t v) { return x[v]; });
  const double expected = (1 - smoothing) * double(x[target]) + smoothing * double(total) / columns;
  const float sum =
      sum_over(columns, [=](std::ptrdiff_t v) { return x[v] = fast_exp(x[v] - top); });
  const float scale = factor / sum, spread = factor * smoothing / float(columns);
#pragma omp simd
  for (int v = 0; v < columns; ++v) x[v] = scale * x[v] - spread;
  x[target] -= factor * (1 - smoothing);
  return top + portable::log(sum) - expected;
}

// The losses of the rows, added in row order whatever the number of threads.
template <class Loss>
double sum_over_rows(std::ptrdiff_t rows, int columns, const Loss& loss) {
  std::vector<double> losses(static_cast<std::size_t>(rows), 0.0);
  for_each_row(rows, columns, [&](std::ptrdiff_t r, std::ptrdiff_t start) {
    losses[static_cast<std::size_t>(r)] = loss(r, start);
  });
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace

template <>
void log_sum_exp(Cpu, const float* x, float* sums, std::ptrdiff_t rows, int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    sums[r] = row_log_sum_exp(x + start, columns);
  });
}

template <>
void cross_entropy(Cpu, const float* x, const std::int32_t* targets, const float* sums,
                   std::int32_t ignore, float smoothing, double divisor, float* loss,
                   std::ptrdiff_t rows, int columns) {
  const double total = sum_over_rows(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    return targets[r] == ignore ? 0 : row_loss(x + start, sums[r], targets[r], smoothing, columns);
  });
  *loss = static_cast<float>(total / divisor);
}

template <>
void cross_entropy_in_place(Cpu, float* x, const std::int32_t* targets, std::int32_t ignore,
                            float smoothing, double divisor, float* loss, std::ptrdiff_t rows,
                            int columns) {
  const float factor = 1 / static_cast<float>(divisor);
  const double total = sum_over_rows(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    float* row = x + start;
    if (targets[r] == ignore) {
      std::fill_n(row, columns, 0.0f);
      return 0.0;
    }
    return row_loss_and_gradient(row, targets[r], smoothing, factor, columns);
  });
  *loss = static_cast<float>(total / divisor);
}

template <>
void cross_entropy_backward(Cpu, const float* x, const std::int32_t* targets, const float* sums,
                            std::int32_t ignore, float smoothing, double divisor,
                            const float* dloss, float* dx, std::ptrdiff_t rows, int columns) {
  const float factor = *dloss / static_cast<float>(divisor);
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float* from = x + start;
    float* out = dx + start;
    if (targets[r] == ignore) {
      std::fill_n(out, columns, 0.0f);
      return;
    }
    row_gradient(from, sums[r], targets[r], smoothing, factor, out, columns);
  });
}

template <>
void log_likelihood(Cpu, const float* x, const std::int32_t* targets, const float* sums,
                    std::int32_t ignore, float* y, std::ptrdiff_t rows, int columns) {
  for (std::ptrdiff_t r = 0; r < rows; ++r)
    y[r] = targets[r] == ignore ? 0 : x[r * columns + targets[r]] - sums[r];
}

template <>
void subtract_from_rows(Cpu, const float* x, const float* sums, float* y, std::ptrdiff_t rows,
                        int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    for (int v = 0; v < columns; ++v) y[start + v] = x[start + v] - sums[r];
  });
}

}  // namespace xf::kernel
