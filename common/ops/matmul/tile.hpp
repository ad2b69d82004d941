#pragma once

#include <array>
#include <utility>

#include "tensor/vectors.hpp"

namespace xf::kernel {

// The innermost part of a product: a tile of C, up to tile_rows rows by two vectors, stays in
// registers while the sum over p runs. Of the 32 (AVX-512) or 16 registers, two hold B and one A.
constexpr int tile_rows = lanes == 16 ? 14 : 6;
constexpr int panel = 2 * lanes;

enum class Start { zero, sum, bias };  // initial value of the sums: 0, C itself, a bias row

struct TileOperands {
  int depth;
  const float* a;
  std::ptrdiff_t a_stride;
  const float* b;
  std::ptrdiff_t b_stride;
  float* c;
  std::ptrdiff_t c_stride;
  Start start;
  const float* bias;
  const float* next = nullptr;  // read after this tile; with `ahead`, prefetched meanwhile,
  int next_step = 0;            // advancing by this many floats for each p
};

inline namespace XF_ARITHMETIC {

// C[i, j] = ((start + A[i, 0] B[0, j]) + A[i, 1] B[1, j]) + ..., in this order, for M rows and W
// vectors of columns. Rows are `stride` apart; if A is transposed, each of its rows is one p.
// `ahead`: prefetches `next`.
template <int M, int W, bool transposed, bool ahead>
void tile(const TileOperands& o) {
  for (int i = 0; i < M; ++i)
    for (int w = 0; w < W; ++w) __builtin_prefetch(o.c + i * o.c_stride + w * lanes, 1);
  const float *a = o.a, *b = o.b, *next = o.next;
  const std::ptrdiff_t a_stride = o.a_stride, b_stride = o.b_stride, next_step = o.next_step;
  Vector sums[M][W] = {};
  if (o.start != Start::zero) {
#pragma GCC unroll 14
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
      for (int w = 0; w < W; ++w)
        sums[i][w] = load((o.start == Start::bias ? o.bias : o.c + i * o.c_stride) + w * lanes);
  }
#pragma GCC unroll 4
  for (int p = 0; p < o.depth;
       ++p, b += b_stride, a += transposed ? a_stride : 1, next += next_step) {
    if constexpr (ahead) __builtin_prefetch(next, 0, 2);
    Vector row[W];
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w) row[w] = load(b + w * lanes);
#pragma GCC unroll 14
    for (int i = 0; i < M; ++i) {
      const float x = transposed ? a[i] : a[i * a_stride];
#pragma GCC unroll 2
      for (int w = 0; w < W; ++w) sums[i][w] += x * row[w];
    }
  }
#pragma GCC unroll 14
  for (int i = 0; i < M; ++i)
#pragma GCC unroll 2
    for (int w = 0; w < W; ++w) store(o.c + i * o.c_stride + w * lanes, sums[i][w]);
}

using Tile = void (*)(const TileOperands&);

template <int W, bool transposed, bool ahead>
constexpr auto tiles = []<int... N>(std::integer_sequence<int, N...>) {
  return std::array<Tile, tile_rows>{tile<N + 1, W, transposed, ahead>...};
}
(std::make_integer_sequence<int, tile_rows>{});

template <bool ahead>
Tile tile_for(int rows, int columns, bool transposed) {
  const auto i = static_cast<std::size_t>(rows - 1);
  if (columns <= lanes) return transposed ? tiles<1, true, ahead>[i] : tiles<1, false, ahead>[i];
  return transposed ? tiles<2, true, ahead>[i] : tiles<2, false, ahead>[i];
}

// The tile for this many rows and columns, at most tile_rows and panel.
inline Tile tile_of(int rows, int columns, bool transposed, bool ahead) {
  return ahead ? tile_for<true>(rows, columns, transposed)
               : tile_for<false>(rows, columns, transposed);
}

}  // namespace XF_ARITHMETIC

}  // namespace xf::kernel
