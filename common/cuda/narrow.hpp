#pragma once

#ifdef __CUDACC__
#include <cuda_bf16.h>
#endif

#include <cstdint>

#include "cuda/launch.hpp"

// Numbers with fewer bits, for tensor cores. A float has 1 bit of sign, 8 of the exponent and 23
// after the point; the lower ones of these are left out, and what is left is rounded to the
// nearest, or, halfway, to the even one: half a unit of the last bit is added before the cut, less
// a little where the bit before it is 0.
namespace xf::cuda {

template <int left_out>
__device__ inline std::uint32_t rounded_bits(float x) {
  const std::uint32_t bits = __float_as_uint(x), odd = (bits >> left_out) & 1;
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;  // NaN stays NaN, and infinity infinite
  return finite ? (bits + ((1u << (left_out - 1)) - 1) + odd) >> left_out << left_out : bits;
}

// bfloat16: 7 bits after the point. It is the upper half of a float.
using Bfloat16 = std::uint16_t;
__device__ inline Bfloat16 to_bfloat16(float x) {
#ifdef __CUDACC__
  return __bfloat16_as_ushort(__float2bfloat16_rn(x));  // one instruction instead of eight
#else
  const std::uint32_t bits = rounded_bits<16>(x);
  return static_cast<Bfloat16>(x == x ? bits >> 16 : 0x7fff);  // NaN's lower half may be all it is
#endif
}
__device__ inline float to_float(Bfloat16 x) { return __uint_as_float(std::uint32_t{x} << 16); }
__device__ inline float to_float(float x) { return x; }

// Four of them, for one store; x is first in memory.
using FourBfloat16 = std::uint64_t;
__device__ inline FourBfloat16 to_bfloat16(const float4& x) {
  const std::uint32_t low = to_bfloat16(x.x) | std::uint32_t{to_bfloat16(x.y)} << 16,
                      high = to_bfloat16(x.z) | std::uint32_t{to_bfloat16(x.w)} << 16;
  return low | std::uint64_t{high} << 32;
}

// Where a kernel writes numbers and, unless null, the same as bfloat16.
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
  // Numbers i to i + 3, where that is a place for four.
  __device__ void put(std::ptrdiff_t i, const float4& x) const {
    *reinterpret_cast<float4*>(data + i) = x;
    if (bf16) *reinterpret_cast<FourBfloat16*>(bf16 + i) = to_bfloat16(x);
  }
};

// TF32: 10 bits after the point, in a float.
__device__ inline float to_tf32(float x) { return __uint_as_float(rounded_bits<13>(x)); }

}  // namespace xf::cuda
