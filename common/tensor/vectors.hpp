#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

namespace xf::kernel {

// Numbers side by side, for loops whose sums have to stay in registers: the compiler keeps a small
// array of vectors there, where it would keep an array of floats in memory. Operators work lane by
// lane. These are the vector types that g++ and clang have in common, on every processor.
template <int count>
struct Floats {
  using type [[gnu::vector_size(count * sizeof(float))]] = float;
  // The same in memory, at any address.
  using anywhere [[gnu::vector_size(count * sizeof(float)), gnu::aligned(4), gnu::may_alias]] =
      float;
};

// One register, as wide as the machine has them.
#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;  // SSE, NEON, WebAssembly
#endif
using Vector = Floats<lanes>::type;

// 16 numbers: one register of AVX-512, or several narrower ones. No function takes or returns one
// by value: how that is done depends on the processor.
constexpr int lanes16 = 16;
using Vector16 = Floats<16>::type;
using Quarter = Floats<4>::type;

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, const Vector& v) { std::memcpy(to, &v, sizeof v); }
#ifdef __clang__  // a reference loses there that `anywhere` need not be aligned
inline Floats<16>::type load16(const float* from) {
  Floats<16>::type v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
#else
inline const Floats<16>::anywhere& load16(const float* from) {
  return *reinterpret_cast<const Floats<16>::anywhere*>(from);
}
#endif

// result[l] = (a, b)[from...[l]], numbered through: an index of `lanes` or more means b.
template <int... from, class V>
void shuffle(const V& a, const V& b, V& result) {
#if __has_builtin(__builtin_shufflevector)
  result = __builtin_shufflevector(a, b, from...);
#else  // g++ 11
  using Indices [[gnu::vector_size(sizeof(V))]] = int;
  result = __builtin_shuffle(a, b, Indices{from...});
#endif
}

// The sums of four lanes each, of which one is left.
inline Quarter quarter_sums(const Vector16& v) {
#if __has_builtin(__builtin_shufflevector)
  const auto half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_shufflevector(half, half, 0, 1, 2, 3) +
         __builtin_shufflevector(half, half, 4, 5, 6, 7);
#else  // g++ 11, which has no shuffle to a narrower vector
  Floats<8>::type low, high;
  Quarter left, right;
  std::memcpy(&low, &v, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
  low += high;
  std::memcpy(&left, &low, sizeof left);
  std::memcpy(&right, reinterpret_cast<const char*>(&low) + sizeof left, sizeof right);
  return left + right;
#endif
}

// (sum of v[0], sum of v[1], sum of v[2], sum of v[3]): four at once take a third of the additions
// that one after the other would.
inline Quarter sums_of(const Vector16 (&v)[4]) {
  const Quarter a = quarter_sums(v[0]), b = quarter_sums(v[1]), c = quarter_sums(v[2]),
                d = quarter_sums(v[3]);
  Quarter low, high, ab, cd;
  shuffle<0, 4, 1, 5>(a, b, low), shuffle<2, 6, 3, 7>(a, b, high);
  ab = low + high;  // a0+a2, b0+b2, a1+a3, b1+b3
  shuffle<0, 4, 1, 5>(c, d, low), shuffle<2, 6, 3, 7>(c, d, high);
  cd = low + high;
  shuffle<0, 1, 4, 5>(ab, cd, low), shuffle<2, 3, 6, 7>(ab, cd, high);
  return low + high;
}

// Swaps the off-diagonal blocks of every 2 x 2 group of (step x step) blocks of a square of
// `lanes` rows; all steps together (1, 2, 4 ...) transpose it.
template <int step, int... lane>
void swap_blocks(Vector (&rows)[lanes], std::integer_sequence<int, lane...>) {
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) {
    if (i & step) continue;
    const Vector first = rows[i], second = rows[i + step];
    shuffle<(lane & step ? lanes + lane - step : lane)...>(first, second, rows[i]);
    shuffle<(lane & step ? lanes + lane : lane + step)...>(first, second, rows[i + step]);
  }
}

// to[p, c] = from[c, p] for a square of `lanes` by `lanes`; `from` has `count` rows,
// the last of which stands for those after it.
inline void transpose_square(const float* from, std::ptrdiff_t from_stride, float* to,
                             std::ptrdiff_t to_stride, int count = lanes) {
  constexpr std::make_integer_sequence<int, lanes> all;
  Vector rows[lanes];
#pragma GCC unroll 16
  for (int c = 0; c < lanes; ++c) rows[c] = load(from + (c < count ? c : count - 1) * from_stride);
  swap_blocks<1>(rows, all);
  swap_blocks<2>(rows, all);
  if constexpr (lanes > 4) swap_blocks<4>(rows, all);
  if constexpr (lanes > 8) swap_blocks<8>(rows, all);
#pragma GCC unroll 16
  for (int p = 0; p < lanes; ++p) store(to + p * to_stride, rows[p]);
}

}  // namespace xf::kernel
