#pragma once

#include <cstdint>
#include <cstring>

#include "tensor/vectors.hpp"

#if defined(__AVX2__) || defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_DOTPROD)
#include <arm_neon.h>
#endif

namespace xf::kernel {

// Products of 8-bit integers, summed in 32 bits. As in weight_vectors.hpp, intrinsics are used
// because no compiler generates these instructions from a short loop. All variants give the same
// sums.
//
// A row of A consists of 32-bit words, each with the `together` numbers that one instruction
// multiplies; a column of B has as many bytes per word. If the instruction treats one side's bytes
// as unsigned, 0 ... 255, B's are stored with the offset `raised`, which is subtracted at the end.
inline namespace XF_ARITHMETIC {

using Words [[gnu::vector_size(lanes * sizeof(std::int32_t))]] = std::int32_t;

inline Words load_words(const std::uint8_t* from) {
  Words w;
  std::memcpy(&w, from, sizeof w);
  return w;
}
inline Words all_of(std::int32_t x) { return x - Words{}; }

#if defined(__AVX512VNNI__) && defined(__AVX512F__)

constexpr int together = 4, raised = 128;  // AVX-512 VNNI
inline Words load_columns(const std::uint8_t* b) { return load_words(b); }
inline void add_products(Words& sums, const Words& b, std::int32_t a) {
  sums = Words(_mm512_dpbusd_epi32(__m512i(sums), __m512i(b), __m512i(all_of(a))));
}

#elif defined(__AVXVNNI__) && !defined(__AVX512F__)

constexpr int together = 4, raised = 128;  // AVX-VNNI
inline Words load_columns(const std::uint8_t* b) { return load_words(b); }
inline void add_products(Words& sums, const Words& b, std::int32_t a) {
  sums = Words(_mm256_dpbusd_avx_epi32(__m256i(sums), __m256i(b), __m256i(all_of(a))));
}

#elif defined(__ARM_FEATURE_DOTPROD)

constexpr int together = 4, raised = 0;
inline Words load_columns(const std::uint8_t* b) { return load_words(b); }
inline void add_products(Words& sums, const Words& b, std::int32_t a) {
  sums = Words(vdotq_s32(int32x4_t(sums), int8x16_t(b), int8x16_t(all_of(a))));
}

#elif defined(__AVX512BW__) || (defined(__AVX2__) && !defined(__AVX512F__)) || \
    (defined(__SSE4_1__) && !defined(__AVX__))

// Pairs of 16 bits: the instruction for bytes saturates at 32767, which two products can exceed.
constexpr int together = 2, raised = 0;
#if defined(__AVX512BW__)
inline Words load_columns(const std::uint8_t* b) {
  return Words(_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(b))));
}
inline Words products(const Words& b, const Words& a) {
  return Words(_mm512_madd_epi16(__m512i(b), __m512i(a)));
}
#elif defined(__AVX2__)
inline Words load_columns(const std::uint8_t* b) {
  return Words(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b))));
}
inline Words products(const Words& b, const Words& a) {
  return Words(_mm256_madd_epi16(__m256i(b), __m256i(a)));
}
#else
inline Words load_columns(const std::uint8_t* b) {
  return Words(_mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(b))));
}
inline Words products(const Words& b, const Words& a) {
  return Words(_mm_madd_epi16(__m128i(b), __m128i(a)));
}
#endif
inline void add_products(Words& sums, const Words& b, std::int32_t a) {
  sums += products(b, all_of(a));
}

#else

constexpr int together = 1, raised = 0;  // any other processor
inline Words load_columns(const std::uint8_t* b) {
  using Bytes [[gnu::vector_size(lanes)]] = signed char;
  Bytes bytes;
  std::memcpy(&bytes, b, sizeof bytes);
  return __builtin_convertvector(bytes, Words);
}
inline void add_products(Words& sums, const Words& b, std::int32_t a) { sums += b * a; }

#endif

}  // namespace XF_ARITHMETIC

}  // namespace xf::kernel
