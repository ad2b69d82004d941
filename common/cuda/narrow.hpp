#pragma once

#ifdef __CUDACC__
#include <cuda_bf16.h>
#endif

#include <cstdint>

#include "cuda/launch.hpp"

// Narrow number formats for tensor cores. A float has 1 sign bit, 8 exponent bits and 23 mantissa
// bits. The low mantissa bits are dropped, and the rest is rounded to nearest, ties to even: before
// truncation, half a unit in the last kept place is added, minus one if the last kept bit is 0.
namespace xf::cuda {

template <int left_out>
__device__ inline std::uint32_t rounded_bits(float x) {
  const std::uint32_t bits = __float_as_uint(x), odd = (bits >> left_out) & 1;
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;  // NaN and infinity are unchanged
  return finite ? (bits + ((1u << (left_out - 1)) - 1) + odd) >> left_out << left_out : bits;
}

// bfloat16: 7 mantissa bits. It is the upper half of a float.
using Bfloat16 = std::uint16_t;
__device__ inline Bfloat16 to_bfloat16(float x) {
#ifdef __CUDACC__
  return __bfloat16_as_ushort(__float2bfloat16_rn(x));  // one instruction instead of eight
#else
  const std::uint32_t bits = rounded_bits<16>(x);
  return static_cast<Bfloat16>(x == x ? bits >> 16 : 0x7fff);  // truncation could make NaN infinite
#endif
}
__device__ inline float to_float(Bfloat16 x) { return __uint_as_float(std::uint32_t{x} << 16); }
__device__ inline float to_float(float x) { return x; }

// Four of them, packed for one store; x comes first in memory.
using FourBfloat16 = std::uint64_t;
__device__ inline FourBfloat16 to_bfloat16(const float4& x) {
  const std::uint32_t low = to_bfloat16(x.x) | std::uint32_t{to_bfloat16(x.y)} << 16,
                      high = to_bfloat16(x.z) | std::uint32_t{to_bfloat16(x.w)} << 16;
  return low | std::uint64_t{high} << 32;
}

// The destination of a kernel's output and, unless null, of its bfloat16 copy.
struct Written {
  float* data;
  Bfloat16* bf16;

  constexpr Written(float* numbers, Bfloat16* narrow = nullptr) : data(numbers), bf16(narrow) {}

  __device__ Written from(std::ptrdiff_t first) const {
    return {data + first, bf16 ? bf16 + first : nullptr};
  }
  __device__ void put(std::ptrdiff_t i, float x) const {
    data[i] = x;
    if (bf16) bf16[i] = to_bfloat16(x);
  }
  // Numbers i to i + 3, where the address is aligned for four.
  __device__ void put(std::ptrdiff_t i, const float4& x) const {
    *reinterpret_cast<float4*>(data + i) = x;
    if (bf16) *reinterpret_cast<FourBfloat16*>(bf16 + i) = to_bfloat16(x);
  }
};

// TF32: 10 mantissa bits, stored in a float.
__device__ inline float to_tf32(float x) { return __uint_as_float(rounded_bits<13>(x)); }

}  // namespace xf::cuda
