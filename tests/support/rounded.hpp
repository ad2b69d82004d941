#pragma once

#include <algorithm>
#include <cmath>

#include "ops/matmul/precision.hpp"
#include "tensor/tensor.hpp"

// Rounding as docs/en/11_gpu.md describes it, by other means than the kernels': in double.
namespace xf::test {

// x with so many bits after the point: a multiple of the unit of the last one. nearbyint() takes
// the nearest, halfway the even one; the smallest exponent of a float is -126.
inline float rounded(float x, int bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(x), -126) - bits);
  return static_cast<float>(std::nearbyint(double(x) / unit) * unit);
}

inline int bits_of(Precision precision) { return precision == Precision::bf16 ? 7 : 10; }

inline Tensor rounded(const Tensor& x, Precision precision) {
  Tensor y = x.clone();
  replace_each(y, [&](float number) { return rounded(number, bits_of(precision)); });
  return y;
}

}  // namespace xf::test
