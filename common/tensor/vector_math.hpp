#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tensor/arithmetic.hpp"
#include "tensor/bit_cast.hpp"

namespace xf {

inline namespace XF_ARITHMETIC {

// The largest of x(0) ... x(count - 1), ignoring NaN; minus infinity when there is none.
template <class Numbers>
[[gnu::always_inline]] inline float largest(int count, const Numbers& x) {
  float top = -std::numeric_limits<float>::infinity();
#ifdef __clang__  // does not vectorise a maximum of numbers that may be NaN, so 16 in parallel
  int first = 0;
  if (count >= 16) {
    float tops[16];
    for (int lane = 0; lane < 16; ++lane) tops[lane] = top;
    for (; first + 16 <= count; first += 16)
#pragma omp simd
      for (int lane = 0; lane < 16; ++lane) {
        const float number = x(first + lane);
        tops[lane] = number > tops[lane] ? number : tops[lane];
      }
    for (int lane = 0; lane < 16; ++lane) top = tops[lane] > top ? tops[lane] : top;
  }
  for (; first < count; ++first) {
    const float number = x(first);
    top = number > top ? number : top;
  }
#else
#pragma omp simd reduction(max : top)
  for (int i = 0; i < count; ++i) {
    const float number = x(i);
    top = number > top ? number : top;
  }
#endif
  return top;
}

// The sum of 16 numbers, in the same order everywhere: adds the halves until one number is left.
[[gnu::always_inline]] inline float sum_of(float (&s)[16]) {
#pragma omp simd
  for (int i = 0; i < 8; ++i) s[i] += s[i + 8];
#pragma omp simd
  for (int i = 0; i < 4; ++i) s[i] += s[i + 4];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// The sum of x(0), x(1) ... x(count - 1), in 16 partial sums: number i goes to sum i % 16. This
// order is the same on every processor, and can be vectorised. x is called once for each i.
template <class Numbers>
[[gnu::always_inline]] inline float sum_over(std::ptrdiff_t count, const Numbers& x) {
  float sums[16] = {};
  std::ptrdiff_t first = 0;
  for (; first + 16 <= count; first += 16)
#pragma omp simd
    for (int lane = 0; lane < 16; ++lane) sums[lane] += x(first + lane);
  for (int lane = 0; first + lane < count; ++lane) sums[lane] += x(first + lane);
  return sum_of(sums);
}

// The same for x(i) and y(i, x(i)), in one pass.
struct TwoSums {
  float first, second;
};
template <class Numbers, class Others>
[[gnu::always_inline]] inline TwoSums sums_over(std::ptrdiff_t count, const Numbers& x,
                                                const Others& y) {
  float sums[16] = {}, others[16] = {};
  std::ptrdiff_t first = 0;
  for (; first + 16 <= count; first += 16)
#pragma omp simd
    for (int lane = 0; lane < 16; ++lane) {
      const float number = x(first + lane);
      sums[lane] += number;
      others[lane] += y(first + lane, number);
    }
  for (int lane = 0; first + lane < count; ++lane) {
    const float number = x(first + lane);
    sums[lane] += number;
    others[lane] += y(first + lane, number);
  }
  return {sum_of(sums), sum_of(others)};
}

// exp(x) in plain arithmetic, so that the compiler can vectorise loops over it: x = n ln 2 + r,
// exp(x) = 2^n exp(r) with a polynomial for |r| <= ln 2 / 2. Relative error below 2e-7. Below
// x = -87.3 it is 0, because smaller results are barely normal floats; above x = 88.7 it stays at
// exp(88.7); NaN stays NaN.
inline float fast_exp(float x) {
  constexpr float log2_e = 1.44269504088896341f;
  constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
  const float raised = x < -87.3f ? -87.3f : x;
  const float clamped = raised > 88.7f ? 88.7f : raised;
  // Adding 1.5 * 2^23 rounds to the nearest integer, which is then in the low bits.
  const float shifted = clamped * log2_e + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = clamped - n * ln2_high - n * ln2_low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // 2^n in two factors, because 2^128 is not a float.
  const std::int32_t integer = bit_cast<std::int32_t>(shifted) - 0x4b400000;
  const std::int32_t half = integer >> 1;
  const float first = bit_cast<float>((half + 127) << 23);
  const float second = bit_cast<float>((integer - half + 127) << 23);
  const float y = p * first * second;
  return x < -87.3f ? 0.0f : y;
}

// erf(x) as a rational function (the float version of Eigen and XLA), for the same reason; absolute
// error below 5e-7. It is +-1 beyond |x| = 4; NaN stays NaN.
inline float fast_erf(float x) {
  const float raised = x < -4.0f ? -4.0f : x;
  const float clamped = raised > 4.0f ? 4.0f : raised;
  const float square = clamped * clamped;
  float p = -2.72614225801306e-10f;
  p = p * square + 2.77068142495902e-08f;
  p = p * square - 2.10102402082508e-06f;
  p = p * square - 5.69250639462346e-05f;
  p = p * square - 7.34990630326855e-04f;
  p = p * square - 2.95459980854025e-03f;
  p = p * square - 1.60960333262415e-02f;
  float q = -1.45660718464996e-05f;
  q = q * square - 2.13374055278905e-04f;
  q = q * square - 1.68282697438203e-03f;
  q = q * square - 7.37332916720468e-03f;
  q = q * square - 1.42647390514189e-02f;
  return clamped * p / q;
}

}  // namespace XF_ARITHMETIC

}  // namespace xf
