#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/check.hpp"
#include "ops/matmul/byte_blocks.hpp"
#include "ops/matmul/panel_order.hpp"
#include "ops/matmul/product_choice.hpp"
#include "ops/matmul/quantized.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

// A's rows in blocks: (rows, blocks), the last block of a row padded with zeros.
struct QuantizedRows {
  int blocks;
  std::vector<RowBlock> all;

  const RowBlock* row(std::ptrdiff_t i) const { return all.data() + i * blocks; }
};

// Where the sums of a tile go: some rows of C, at most one panel of its columns.
struct Place {
  float* c;
  std::ptrdiff_t stride;
  int columns;
  Start start;
  const float* bias;  // of these columns
};

template <int M>
void finish(const Vector (&totals)[M][2], const Place& to) {
  alignas(64) float aside[panel];  // buffer for a panel that extends beyond C's last column
  for (int r = 0; r < M; ++r) {
    float* const row = to.c + r * to.stride;
    const float* start = to.start == Start::sum ? row : to.start == Start::bias ? to.bias : nullptr;
    const bool whole = to.columns == panel;
    if (start && !whole) {
      std::fill(std::copy_n(start, to.columns, aside), aside + panel, 0.0f);
      start = aside;
    }
#pragma GCC unroll 2
    for (int w = 0; w < 2; ++w) {
      Vector value = totals[r][w];
      if (start) value += load(start + w * lanes);
      store((whole ? row : aside) + w * lanes, value);
    }
    if (!whole) std::copy_n(aside, to.columns, row);
  }
}

// Rows of a tile. Each takes as many of the 32 (AVX-512) or 16 registers for the integer sums of a
// block as for its totals, one per vector of columns. With 16, many rows share one vector, which
// pays for widening it before the multiplication; few rows leave room for both vectors.
constexpr int byte_tile_rows = 6;
template <int M>
constexpr int tile_vectors = lanes == 16 || M <= 3 ? 2 : 1;

// With few rows, B comes from memory as fast as it is multiplied. Hardware prefetchers stop at the
// end of a page, so the data one page ahead is prefetched here.
constexpr int prefetching_rows = 2, page = 4096;

// Masks the lower half of each byte, whatever width bytes were extended to.
constexpr std::int32_t lower_halves = together == 4 ? 0x0f0f0f0f : together == 2 ? 0x000f000f : 0xf;

// M rows by a panel, with all sums in registers.
template <int M, bool four_bits>
void byte_tile(const QuantizedRows& a, int i, const std::uint8_t* b, const Place& to) {
  constexpr int vector = lanes * together, W = tile_vectors<M>;  // vector: its size in bytes
  constexpr int parts = four_bits ? 2 : 1, words = block_words / parts;
  const RowBlock* rows[M];
  for (int r = 0; r < M; ++r) rows[r] = a.row(i + r);
  Vector totals[M][2];
#pragma GCC unroll 2
  for (int first = 0; first < 2; first += W) {
    const std::uint8_t* numbers = b + first * vector;
    const std::uint8_t* steps = b + number_bytes<four_bits> + first * lanes * int(sizeof(float));
    Vector total[M][W] = {};
    for (std::ptrdiff_t block = 0; block < a.blocks; ++block) {
      // A's next tile, which begins where this one ends.
      const auto* const next = reinterpret_cast<const char*>(rows[0] + M * a.blocks + M * block);
#pragma GCC unroll 8
      for (int line = 0; line < M * int(sizeof(RowBlock)); line += 64)
        __builtin_prefetch(next + line);
      if constexpr (M <= prefetching_rows)
#pragma GCC unroll 32
        for (int line = 0; line < block_bytes<four_bits>; line += 64)
          __builtin_prefetch(numbers + page + line, 0, 1);
      Words sums[M][W];
#pragma GCC unroll 6
      for (int r = 0; r < M; ++r)
#pragma GCC unroll 2
        for (int w = 0; w < W; ++w) sums[r][w] = all_of(four_bits ? 0 : rows[r][block].start);
#pragma GCC unroll 2
      for (int part = 0; part < parts; ++part)
#pragma GCC unroll 8
        for (int p = 0; p < words; ++p) {
          Words columns[W];
#pragma GCC unroll 2
          for (int w = 0; w < W; ++w) {
            columns[w] = load_columns(numbers + (2 * p + w) * vector);
            if constexpr (four_bits) columns[w] = columns[w] >> 4 * part & lower_halves;
          }
#pragma GCC unroll 6
          for (int r = 0; r < M; ++r) {
            const std::int32_t x = rows[r][block].word(part * words + p);
#pragma GCC unroll 2
            for (int w = 0; w < W; ++w) add_products(sums[r][w], columns[w], x);
          }
        }
#pragma GCC unroll 2
      for (int w = 0; w < W; ++w) {
        Vector step;
        std::memcpy(&step, steps + w * int(sizeof step), sizeof step);
#pragma GCC unroll 6
        for (int r = 0; r < M; ++r)
          total[r][w] += __builtin_convertvector(sums[r][w], Vector) * (step * rows[r][block].step);
        if constexpr (four_bits) {
          Vector least;
          std::memcpy(&least, steps + (panel + w * lanes) * int(sizeof(float)), sizeof least);
#pragma GCC unroll 6
          for (int r = 0; r < M; ++r) total[r][w] += least * rows[r][block].sum;
        }
      }
      numbers += block_bytes<four_bits>, steps += block_bytes<four_bits>;
    }
#pragma GCC unroll 6
    for (int r = 0; r < M; ++r)
#pragma GCC unroll 2
      for (int w = 0; w < W; ++w) totals[r][first + w] = total[r][w];
  }
  finish<M>(totals, to);
}

using ByteTile = void (*)(const QuantizedRows&, int, const std::uint8_t*, const Place&);
template <bool four_bits>
constexpr auto byte_tiles = []<int... N>(std::integer_sequence<int, N...>) {
  return std::array<ByteTile, byte_tile_rows>{byte_tile<N + 1, four_bits>...};
}
(std::make_integer_sequence<int, byte_tile_rows>{});

// The columns of some panels, for all rows: a panel stays in the cache until all rows have used it.
void multiply_panels(const QuantizedRows& a, const QuantizedProduct& product, int first, int last) {
  const auto& [b, c, epilogue] = product;
  const auto& tiles = b->has_four_bits() ? byte_tiles<true> : byte_tiles<false>;
  const int blocks = (c.rows + byte_tile_rows - 1) / byte_tile_rows;
  for (int j = first * panel; j < std::min(last * panel, c.columns); j += panel)
    for (int block = 0; block < blocks; ++block) {
      const int i = border(c.rows, blocks, block), rows = border(c.rows, blocks, block + 1) - i;
      tiles[std::size_t(rows - 1)](a, i, b->panel_at(j),
                                   {.c = c.row(i) + j,
                                    .stride = c.stride,
                                    .columns = std::min(panel, c.columns - j),
                                    .start = epilogue.sum    ? Start::sum
                                             : epilogue.bias ? Start::bias
                                                             : Start::zero,
                                    .bias = epilogue.columns_from(j).bias});
    }
}

int panels_of(const QuantizedProduct& product) { return (product.c.columns + panel - 1) / panel; }

void check(const Matrix& a, const QuantizedMatrix& b, const Result& c) {
  require(!a.transposed && a.columns == b.rows() && a.rows == c.rows && b.columns() == c.columns,
          "gemm", [&] {
            return "a is (" + std::to_string(a.rows) + ", " + std::to_string(a.columns) +
                   "), b in 8 bits is (" + std::to_string(b.rows()) + ", " +
                   std::to_string(b.columns()) + "), c is (" + std::to_string(c.rows) + ", " +
                   std::to_string(c.columns) + ")";
          });
}

}  // namespace

template <>
void gemm(Cpu, const Matrix& a, std::span<const QuantizedProduct> products) {
  int columns = 0, panels = 0;
  for (const QuantizedProduct& p : products) {
    check(a, *p.b, p.c);
    columns += p.c.columns, panels += panels_of(p);
  }
  thread_local QuantizedRows kept;  // keeps its memory between calls
  QuantizedRows& rows = kept;
  rows.blocks = blocks_of(a.columns);
  rows.all.resize(std::size_t(a.rows) * std::size_t(rows.blocks));
  const std::ptrdiff_t grain = std::max(1, (1 << 15) / (a.columns + 1));
  parallel_for(a.rows, grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i)
      quantize_row(a.at(i, 0), a.columns, rows.all.data() + i * rows.blocks);
  });
  const ProductShape shape{a.rows, columns, a.columns};
  const bool shared = choice_of(shape, WeightForm::eight_bits, threads(),
                                is_fast ? Arithmetic::fast : Arithmetic::same)
                          .split == ProductChoice::Split::columns;
  parallel_for(panels, shared ? 1 : panels, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    int start = 0;  // where this product's panels begin
    for (const QuantizedProduct& p : products) {
      const int count = panels_of(p);
      multiply_panels(rows, p, std::clamp(int(first) - start, 0, count),
                      std::clamp(int(last) - start, 0, count));
      start += count;
    }
  });
}

}  // namespace xf::kernel
