#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ops/attend_rows/kernels.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

// y = softmax(scale x), in place.
void softmax_row(float* x, float scale, int count) {
  float top = -std::numeric_limits<float>::infinity(), sum = 0;
#pragma omp simd reduction(max : top)
  for (int j = 0; j < count; ++j) top = x[j] > top ? x[j] : top;
#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < count; ++j) {
    x[j] = fast_exp(scale * (x[j] - top));
    sum += x[j];
  }
  for (int j = 0; j < count; ++j) x[j] /= sum;
}

// With the usual sizes of a head as a constant, its loops become straight vector code.
template <int constant>
void attend(const float* q, const float* keys, const float* values, std::span<const int> seen,
            int heads, int head_size, float* scores, float* y) {
  const int d_k = constant > 0 ? constant : head_size, count = static_cast<int>(seen.size());
  const std::ptrdiff_t width = std::ptrdiff_t(heads) * d_k;
  for (int j = 0; j < count; ++j) {
    const float* key = keys + seen[static_cast<std::size_t>(j)] * width;
    for (int h = 0; h < heads; ++h) {
      float dot = 0;
#pragma omp simd reduction(+ : dot)
      for (int i = 0; i < d_k; ++i) dot += q[h * d_k + i] * key[h * d_k + i];
      scores[h * count + j] = dot;
    }
  }
  const float scale = 1 / std::sqrt(static_cast<float>(d_k));
  for (int h = 0; h < heads; ++h) softmax_row(scores + h * count, scale, count);
  std::fill_n(y, width, 0.0f);
  for (int j = 0; j < count; ++j) {
    const float* value = values + seen[static_cast<std::size_t>(j)] * width;
    for (int h = 0; h < heads; ++h) {
      const float weight = scores[h * count + j];
#pragma omp simd
      for (int i = 0; i < d_k; ++i) y[h * d_k + i] += weight * value[h * d_k + i];
    }
  }
}

}  // namespace

void attend_rows(Cpu, const float* q, const float* keys, const float* values,
                 std::span<const int> seen, int heads, int d_k, float* scores, float* y) {
  switch (d_k) {
    case 32:
      return attend<32>(q, keys, values, seen, heads, d_k, scores, y);
    case 64:
      return attend<64>(q, keys, values, seen, heads, d_k, scores, y);
    default:
      return attend<0>(q, keys, values, seen, heads, d_k, scores, y);
  }
}

}  // namespace xf::kernel
