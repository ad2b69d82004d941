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

// Converts stored weights to float vectors in registers, for each format that a file may have. A
// row is read block by block: `size` numbers in `bytes` bytes. Each number is exactly what the
// format's `read` gives (tensor/stored_rows.cpp), because q times a step is exact.
inline namespace XF_ARITHMETIC {

using Whole [[gnu::vector_size(lanes * sizeof(std::int32_t))]] = std::int32_t;

// Widens `lanes` integers of 8 or 16 bits to 32; g++ 12 does not find the instruction by itself.
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
  // A single element, for the end of a row that does not fill a block.
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

// The low nibbles of the 16 bytes are numbers 0 to 15, the high nibbles 16 to 31.
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

// The same with a fifth bit: for number j, it is bit j of the four bytes before the nibbles.
template <bool has_least>
struct FiveBitBlock {
  static constexpr int size = WholeBlock::size, half = size / 2, steps = has_least ? 4 : 2,
                       bytes = steps + 4 + half;
  const char* from;
  float step = step_from(from), least = has_least ? step_from(from + 2) : -16 * step;
  std::uint32_t fifths = bits_at<std::uint32_t>(from + steps);

  Vector vector(int first) const {
    const Whole pairs = widened<std::uint8_t>(from + steps + 4 + first % half);
    const Whole places = index_of_lane() + first;
    const Whole fifth = (Whole{} + static_cast<std::int32_t>(fifths)) >> places & 1;
    const Whole q = (first < half ? pairs & 15 : pairs >> 4) | fifth << 4;
    return step * __builtin_convertvector(q, Vector) + least;
  }

 private:
  static Whole index_of_lane() {
    Whole index;
    for (int lane = 0; lane < lanes; ++lane) index[lane] = lane;
    return index;
  }
};

// Q4_K and Q5_K: eight groups of 32 numbers. The steps and minima of all eight groups are unpacked
// first (tensor/stored_rows.cpp says where their bits are).
template <bool five_bits>
struct GroupedBlock {
  static constexpr int size = 256, group = WholeBlock::size, nibbles = five_bits ? 48 : 16,
                       bytes = nibbles + size / 2;
  const char* from;
  float steps[8], leasts[8];

  explicit GroupedBlock(const char* block) : from(block) {
    const auto word = [&](int i) { return bits_at<std::uint32_t>(from + 4 + 4 * i); };
    const auto both = [](std::uint32_t first, std::uint32_t second) {
      return first | std::uint64_t{second} << 32;
    };
    constexpr std::uint32_t each = 0x01010101;
    const auto upper = [](std::uint32_t w) { return (w >> 6 & 3 * each) << 4; };
    put(both(word(0) & 63 * each, (word(2) & 15 * each) | upper(word(0))), step_from(from), steps);
    put(both(word(1) & 63 * each, (word(2) >> 4 & 15 * each) | upper(word(1))),
        -step_from(from + 2), leasts);
  }

  Vector vector(int first) const {
    const int g = first / group, place = first % group;
    Whole q = widened<std::uint8_t>(from + nibbles + g / 2 * group + place) >> g % 2 * 4 & 15;
    if constexpr (five_bits) q |= (widened<std::uint8_t>(from + 16 + place) >> g & 1) << 4;
    return steps[g] * __builtin_convertvector(q, Vector) + leasts[g];
  }

 private:
  static void put(std::uint64_t eight, float factor, float (&to)[8]) {
    std::uint8_t numbers[8];
    std::memcpy(numbers, &eight, sizeof eight);
#pragma omp simd
    for (int i = 0; i < 8; ++i) to[i] = factor * static_cast<float>(numbers[i]);
  }
};

struct SixBitBlock {
  static constexpr int size = 256, group = WholeBlock::size, of_step = 16, bytes = 210;
  const char* from;
  float steps[size / of_step];

  explicit SixBitBlock(const char* block) : from(block) {
    const float d = step_from(from + 208);
    std::int8_t scales[size / of_step];
    std::memcpy(scales, from + 192, sizeof scales);
#pragma omp simd
    for (int i = 0; i < size / of_step; ++i) steps[i] = d * static_cast<float>(scales[i]);
  }

  Vector vector(int first) const {
    const int half = first / 128, part = first / group % 4, place = first % group;
    const Whole low = widened<std::uint8_t>(from + half * 64 + part % 2 * group + place);
    const Whole high = widened<std::uint8_t>(from + 128 + half * group + place);
    const Whole q = (low >> part / 2 * 4 & 15) | (high >> part * 2 & 3) << 4;
    return steps[first / of_step] * __builtin_convertvector(q - 32, Vector);
  }
};

}  // namespace XF_ARITHMETIC

}  // namespace xf::kernel
