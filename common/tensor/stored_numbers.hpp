#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensor/bit_cast.hpp"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace xf {

static_assert(std::endian::native == std::endian::little, "files of tensors are little-endian");

// A value in a file, at any alignment.
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
// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits. Shifted into a float's bits,
// it is 2^-112 of its value, even if it is subnormal; infinity and NaN are preserved.
inline float from_f16(const char* bytes) {
  const std::uint32_t half = bits_at<std::uint16_t>(bytes);
  const std::uint32_t sign = (half & 0x8000u) << 16, size = (half & 0x7fffu) << 13;
  const auto bits = bit_cast<std::uint32_t>(bit_cast<float>(size) * 0x1p112f);
  return bit_cast<float>(sign | (size < 0x0f800000u ? bits : size | 0x7f800000u));
}
// A block's step: the same conversion, in a single instruction if the processor has one.
inline float step_from(const char* bytes) {
#ifdef __F16C__
  return _cvtsh_ss(bits_at<std::uint16_t>(bytes));
#else
  return from_f16(bytes);
#endif
}

// Converts a tensor element by element. A char* may alias anything, even `to`; without __restrict,
// the loop would not be vectorised.
template <float (*one)(const char*), int size>
void read_each(const char* __restrict from, std::ptrdiff_t count, float* __restrict to) {
  for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = one(from + i * size);
}

}  // namespace xf
