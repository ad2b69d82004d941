#pragma once

#include <cstddef>
#include <cstring>

namespace xf::kernel {

// One register of floats, as wide as the machine has them: `Vector` adds and multiplies lane by
// lane, and the compiler makes one instruction of each operation.
#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
using Vector = float __attribute__((vector_size(lanes * sizeof(float))));
using LaneIndices = int __attribute__((vector_size(lanes * sizeof(int))));

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, const Vector& v) { std::memcpy(to, &v, sizeof v); }

// Swaps the off-diagonal blocks of every 2 x 2 group of (step x step) blocks of a square of
// `lanes` rows; all steps together (1, 2, 4 ...) transpose it.
template <int step>
inline void swap_blocks(Vector (&rows)[lanes]) {
  LaneIndices upper = {}, lower = {};  // an index of `lanes` or more means the second row
  for (int lane = 0; lane < lanes; ++lane) {
    upper[lane] = lane & step ? lanes + lane - step : lane;
    lower[lane] = lane & step ? lanes + lane : lane + step;
  }
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i) {
    if (i & step) continue;
    const Vector first = rows[i], second = rows[i + step];
    rows[i] = __builtin_shuffle(first, second, upper);
    rows[i + step] = __builtin_shuffle(first, second, lower);
  }
}

// to[p, c] = from[c, p] for a square of `lanes` by `lanes`; `from` has `count` rows,
// the last of which stands for those after it.
inline void transpose_square(const float* from, std::ptrdiff_t from_stride, float* to,
                             std::ptrdiff_t to_stride, int count = lanes) {
  Vector rows[lanes];
#pragma GCC unroll 16
  for (int c = 0; c < lanes; ++c) rows[c] = load(from + (c < count ? c : count - 1) * from_stride);
  swap_blocks<1>(rows);
  swap_blocks<2>(rows);
  if constexpr (lanes > 4) swap_blocks<4>(rows);
  if constexpr (lanes > 8) swap_blocks<8>(rows);
#pragma GCC unroll 16
  for (int p = 0; p < lanes; ++p) store(to + p * to_stride, rows[p]);
}

}  // namespace xf::kernel
