#pragma once

#include <cstdint>
#include <cstring>

#include "tensor/stored_numbers.hpp"
#include "tensor/stored_rows.hpp"
#include "tensor/vectors.hpp"

#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

namespace xf::kernel {

// Weights as vectors that are made in registers, of each kind that a file may have. A row is read
// block by block: `size` numbers, which lie in `bytes`. Each number is the one that the kind's
// `read` gives (tensor/stored_rows.cpp): q times a step is exact.
inline namespace XF_ARITHMETIC {

using Whole [[gnu::vector_size(lanes * sizeof(std::int32_t))]] = std::int32_t;

// As many numbers of 8 or 16 bits as a vector has, in 32. g++ 12 does not find the instruction.
template <class Narrow>
Whole widened(const char* from) {
  [[maybe_unused]] constexpr bool bytes = sizeof(Narrow) == 1, sign = Narrow(-1) < 0;
  using Few [[gnu::vector_size(lanes * sizeof(Narrow))]] = Narrow;
  Few few;
  std::memcpy(&few, from, sizeof few);
#if defined(__AVX512F__)
  constexpr __mmask16 all = 0xffff;  // g++ 12 warns of those without a mask (its bug 105593)
  if constexpr (!bytes) return Whole(_mm512_maskz_cvtepu16_epi32(all, __m256i(few)));
  if constexpr (bytes && sign) return Whole(_mm512_maskz_cvtepi8_epi32(all, __m128i(few)));
  if constexpr (bytes && !sign) return Whole(_mm512_maskz_cvtepu8_epi32(all, __m128i(few)));
#elif defined(__AVX2__) || (defined(__SSE4_1__) && !defined(__AVX__))
  __m128i low = _mm_setzero_si128();
  std::memcpy(&low, &few, sizeof few);
#if defined(__AVX2__)
  if constexpr (!bytes) return Whole(_mm256_cvtepu16_epi32(low));
  if constexpr (bytes && sign) return Whole(_mm256_cvtepi8_epi32(low));
  if constexpr (bytes && !sign) return Whole(_mm256_cvtepu8_epi32(low));
#else
  if constexpr (!bytes) return Whole(_mm_cvtepu16_epi32(low));
  if constexpr (bytes && sign) return Whole(_mm_cvtepi8_epi32(low));
  if constexpr (bytes && !sign) return Whole(_mm_cvtepu8_epi32(low));
#endif
#else
  return __builtin_convertvector(few, Whole);
#endif
}

struct Float32Block {
  static constexpr int size = lanes16, bytes = 4 * size;
  const char* from;
  // Of a row whose last numbers fill no block.
  static float one(const char* at) { return from_f32(at); }

  // Numbers first ... first + lanes.
  Vector vector(int first) const {
    Vector v;
    std::memcpy(&v, from + 4 * first, sizeof v);
    return v;
  }
};

struct Bfloat16Block {
  static constexpr int size = lanes16, bytes = 2 * size;
  const char* from;
  static float one(const char* at) { return from_bf16(at); }

  Vector vector(int first) const { return Vector(widened<std::uint16_t>(from + 2 * first) << 16); }
};

struct Float16Block {
  static constexpr int size = lanes16, bytes = 2 * size;
  const char* from;
  static float one(const char* at) { return from_f16(at); }

  Vector vector(int first) const {
    const char* const halves = from + 2 * first;
#if defined(__AVX512F__)
    return Vector(_mm512_maskz_cvtph_ps(0xffff, bits_at<__m256i>(halves)));
#elif defined(__F16C__)
    return Vector(_mm256_cvtph_ps(bits_at<__m128i>(halves)));
#else  // from_f16()
    const Whole half = widened<std::uint16_t>(halves), moved = (half & 0x7fff) << 13;
    const Whole not_finite = moved >= 0x0f800000;
    return Vector((half & 0x8000) << 16 | Whole(Vector(moved) * 0x1p112f) |
                  (not_finite & 0x7f800000));
#endif
  }
};

struct EightBitBlock {
  static constexpr int size = WholeBlock::size, bytes = 34;
  const char* from;
  float step = step_from(from);

  Vector vector(int first) const {
    return step * __builtin_convertvector(widened<std::int8_t>(from + 2 + first), Vector);
  }
};

// The lower halves of 16 bytes are numbers 0 to 15, the upper ones 16 to 31.
template <bool has_least>
struct FourBitBlock {
  static constexpr int size = WholeBlock::size, half = size / 2, steps = has_least ? 4 : 2,
                       bytes = steps + half;
  const char* from;
  float step = step_from(from), least = has_least ? step_from(from + 2) : -8 * step;

  Vector vector(int first) const {
    const Whole pairs = widened<std::uint8_t>(from + steps + first % half);
    return step * __builtin_convertvector(first < half ? pairs & 15 : pairs >> 4, Vector) + least;
  }
};

// Of the other kinds a block becomes floats in the first-level cache, on the way to the registers.
template <const StoredFormat& format, int numbers, int stored_bytes>
struct ReadBlock {
  static constexpr int size = numbers, bytes = stored_bytes;
  alignas(64) float x[size];

  explicit ReadBlock(const char* from) { format.read(from, size, x); }
  Vector vector(int first) const { return load(x + first); }
};

}  // namespace XF_ARITHMETIC

}  // namespace xf::kernel
