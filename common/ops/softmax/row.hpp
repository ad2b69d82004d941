#pragma once

#include <limits>
#include <type_traits>

#include "tensor/vector_math.hpp"

namespace xf::kernel {

inline namespace XF_ARITHMETIC {

// y = softmax(scale x) over the elements for which allowed(j); y may be x. Masked elements are
// replaced, not multiplied by 0: they may be NaN.
template <class Allowed>
[[gnu::always_inline]] inline void softmax_row(const float* x, float scale, const Allowed& allowed,
                                               float* y, int columns) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const float top = largest(columns, [&](int j) { return allowed(j) ? x[j] : lowest; });
  const float sum = sum_over(columns, [&](std::ptrdiff_t j) {
    const float e = fast_exp(scale * (x[j] - top));
    return y[j] = allowed(int(j)) ? e : 0.0f;
  });
  const float factor = sum > 0 || sum != sum ? 1 / sum : 0;  // NaN propagates; empty row: zeros
#pragma omp simd
  for (int j = 0; j < columns; ++j) y[j] *= factor;
}

inline bool all_allowed(int) { return true; }

// x = softmax(scale x), in place.
inline void softmax_row(float* x, float scale, int columns) {
  softmax_row(x, scale, all_allowed, x, columns);
}

// dx = scale y (dy - sum_k dy_k y_k); dx may be dy.
[[gnu::always_inline]] inline void softmax_backward_row(const float* y, const float* dy,
                                                        float scale, float* dx, int columns) {
  const float dot = sum_over(columns, [=](std::ptrdiff_t j) { return y[j] * dy[j]; });
#pragma omp simd
  for (int j = 0; j < columns; ++j) dx[j] = scale * y[j] * (dy[j] - dot);
}

// Calls body(columns), with a compile-time constant for short rows: the inlined loops over a row
// then need no prologue and no remainder, which would cost more than the row itself.
template <class Body>
void with_constant_columns(int columns, const Body& body) {
  if (columns == 16) return body(std::integral_constant<int, 16>{});
  if (columns == 32) return body(std::integral_constant<int, 32>{});
  if (columns == 64) return body(std::integral_constant<int, 64>{});
  body(columns);
}

}  // namespace XF_ARITHMETIC

}  // namespace xf::kernel
