#pragma once

namespace xf::kernel {

// 16 numbers side by side, for loops whose sums have to stay in registers: the compiler keeps a
// small array of these there, where it would keep an array of floats in memory. No function takes
// or returns one by value: how that is done depends on the processor.
using Vector16 = float __attribute__((vector_size(64)));  // one AVX-512 register
using Vector16Anywhere = float __attribute__((vector_size(64), aligned(4), may_alias));
constexpr int lanes16 = 16;

inline const Vector16Anywhere& load16(const float* from) {
  return *reinterpret_cast<const Vector16Anywhere*>(from);
}

using Quarter = float __attribute__((vector_size(16)));

// The sums of four lanes each, of which one is left.
inline Quarter quarter_sums(const Vector16& v) {
  const auto half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_shufflevector(half, half, 0, 1, 2, 3) +
         __builtin_shufflevector(half, half, 4, 5, 6, 7);
}

// (sum of v[0], sum of v[1], sum of v[2], sum of v[3]): four at once take a third of the additions
// that one after the other would.
inline Quarter sums_of(const Vector16 (&v)[4]) {
  const Quarter a = quarter_sums(v[0]), b = quarter_sums(v[1]), c = quarter_sums(v[2]),
                d = quarter_sums(v[3]);
  const Quarter ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) +
                     __builtin_shufflevector(a, b, 2, 6, 3, 7);  // a0+a2, b0+b2, a1+a3, b1+b3
  const Quarter cd =
      __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

}  // namespace xf::kernel
