#pragma once

#include <limits>

#include "tensor/vector_math.hpp"

namespace xf::kernel {

// x = softmax(scale x), in place.
inline void softmax_row(float* x, float scale, int count) {
  float top = -std::numeric_limits<float>::infinity(), sum = 0;
#pragma omp simd reduction(max : top)
  for (int j = 0; j < count; ++j) top = x[j] > top ? x[j] : top;
#pragma omp simd reduction(+ : sum)
  for (int j = 0; j < count; ++j) {
    x[j] = fast_exp(scale * (x[j] - top));
    sum += x[j];
  }
  const float factor = 1 / sum;
#pragma omp simd
  for (int j = 0; j < count; ++j) x[j] *= factor;
}

}  // namespace xf::kernel
