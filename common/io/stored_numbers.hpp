#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensor/bit_cast.hpp"

namespace xf {

static_assert(std::endian::native == std::endian::little, "files of tensors are little-endian");

// What stands in a file at any alignment.
template <class Stored>
Stored bits_at(const char* bytes) {
  Stored stored;
  std::memcpy(&stored, bytes, sizeof stored);
  return stored;
}

inline float from_f32(const char* bytes) { return bits_at<float>(bytes); }
inline float from_f64(const char* bytes) { return static_cast<float>(bits_at<double>(bytes)); }
// The upper half of a float.
inline float from_bf16(const char* bytes) {
  return bit_cast<float>(std::uint32_t{bits_at<std::uint16_t>(bytes)} << 16);
}
// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
inline float from_f16(const char* bytes) {
  const unsigned half = bits_at<std::uint16_t>(bytes);
  const unsigned exponent = half >> 10 & 31, fraction = half & 1023;
  const unsigned sign = (half & 0x8000u) << 16;
  if (exponent == 0) {  // zero or subnormal: fraction 2^-24
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  const unsigned wide = exponent == 31 ? 255 : exponent + 112;  // infinity and NaN stay so
  return bit_cast<float>(sign | wide << 23 | fraction << 13);
}

// The numbers of a tensor, one after the other.
template <float (*one)(const char*), int size>
void read_each(const char* from, std::ptrdiff_t count, float* to) {
  for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = one(from + i * size);
}

}  // namespace xf
