#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "tensor/arithmetic.hpp"

namespace xf::kernel {

// SIMD vectors, for loops whose sums have to stay in registers: the compiler keeps a small array
// of vectors there, but an array of floats in memory. Operators work lane by
// lane. These are the vector types that g++ and clang have in common, on every processor.
template <int count>
struct Floats {
  using type [[gnu::vector_size(count * sizeof(float))]] = float;
};

// One register of the machine's width.
#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;  // SSE, NEON, WebAssembly
#endif
using Vector = Floats<lanes>::type;
using Quarter = Floats<4>::type;  // may be passed by value, unlike wider vectors

inline namespace XF_ARITHMETIC {

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, const Vector& v) { std::memcpy(to, &v, sizeof v); }

// result[l] = (a, b)[from...[l]]: an index of `lanes` or more means b.
template <int... from, class V>
void shuffle(const V& a, const V& b, V& result) {
#if __has_builtin(__builtin_shufflevector)
  result = __builtin_shufflevector(a, b, from...);
#else  // g++ 11
  using Indices [[gnu::vector_size(sizeof(V))]] = int;
  result = __builtin_shuffle(a, b, Indices{from...});
#endif
}

// 16 numbers, in as many registers as they need.
constexpr int lanes16 = 16;
struct Sixteen {
  static constexpr int count = lanes16 / lanes;
  Vector part[count];

  // sum += x * y, element by element.
  [[gnu::always_inline]] void add_products(float x, const float* y) {
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) part[i] += x * load(y + i * lanes);
  }
  [[gnu::always_inline]] void add_products(const float* x, const float* y) {
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) part[i] += load(x + i * lanes) * load(y + i * lanes);
  }
  [[gnu::always_inline]] Sixteen& operator+=(const Sixteen& other) {
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) part[i] += other.part[i];
    return *this;
  }
};

// The low half of v plus the high one.
template <class V, class Half, int... i>
void add_halves(const V& v, Half& sum, std::integer_sequence<int, i...>) {
#if __has_builtin(__builtin_shufflevector)
  sum =
      __builtin_shufflevector(v, v, i...) + __builtin_shufflevector(v, v, int{sizeof...(i)} + i...);
#else  // g++ 11, which has no shuffle to a narrower vector
  Half high;
  std::memcpy(&sum, &v, sizeof sum);
  std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof sum, sizeof high);
  sum += high;
#endif
}

// Adds the upper half to the lower one until four numbers are left; for one register or several.
template <class V>
Quarter quarter_of(const V& v) {
  constexpr int half = sizeof(V) / sizeof(float) / 2;
  if constexpr (half == 2) {
    return v;
  } else {
    typename Floats<half>::type sum;
    add_halves(v, sum, std::make_integer_sequence<int, half>{});
    return quarter_of(sum);
  }
}
template <int count>
Quarter quarter_of(const Vector (&part)[count]) {
  if constexpr (count == 1) return quarter_of(part[0]);
  if constexpr (count == 2) return quarter_of(part[0] + part[1]);
  if constexpr (count == 4) return quarter_of((part[0] + part[2]) + (part[1] + part[3]));
}
inline Quarter quarter_of(const Sixteen& x) { return quarter_of(x.part); }

// (sum of v[0], sum of v[1], sum of v[2], sum of v[3]), for vectors or Sixteens: summing all four
// at once takes a third of the additions of one after the other. Each sum has the order of sum_of()
// (vector_math.hpp).
template <class V>
Quarter sums_of(const V (&v)[4]) {
  const Quarter a = quarter_of(v[0]), b = quarter_of(v[1]), c = quarter_of(v[2]),
                d = quarter_of(v[3]);
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

// to[p, c] = from[c, p] for a square of `lanes` by `lanes`; `from` has only `count` rows, the last
// of which is repeated for the missing ones.
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

}  // namespace XF_ARITHMETIC

}  // namespace xf::kernel
