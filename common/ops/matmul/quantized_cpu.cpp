#include <algorithm>
#include <array>
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

// The numbers of A as add_products() wants them.
using Number = std::conditional_t<together == 4, std::int8_t,
                                  std::conditional_t<together == 2, std::int16_t, std::int32_t>>;

// A's rows, with a step for each block of each.
struct QuantizedRows {
  int blocks;                         // of a row, the last one filled up with zeros
  std::vector<std::int32_t> numbers;  // (rows, blocks, block_words), `together` in each
  std::vector<float> steps;           // (rows, blocks)
  std::vector<std::int32_t> raises;  // (rows, blocks): what `raised` adds to each of a block's sums

  std::ptrdiff_t words() const { return std::ptrdiff_t(blocks) * block_words; }
};

void quantize_row(const float* x, int count, std::ptrdiff_t i, QuantizedRows& to) {
  constexpr int block = QuantizedMatrix::block;
  for (int b = 0; b < to.blocks; ++b) {
    const std::ptrdiff_t at = i * to.blocks + b;
    auto* const numbers = reinterpret_cast<Number*>(to.numbers.data() + at * block_words);
    to.steps[std::size_t(at)] =
        quantize(x + b * block, std::min(block, count - b * block), numbers);
    if constexpr (raised == 0) continue;
    std::int32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int p = 0; p < block; ++p) sum += numbers[p];
    to.raises[std::size_t(at)] = raised * sum;
  }
}

// What the sums of a tile become: some rows of C, up to a panel of its columns.
struct Place {
  float* c;
  std::ptrdiff_t stride;
  int columns;
  Start start;
  const float* bias;  // of these columns
};

template <int M>
void finish(const Vector (&totals)[M][2], const Place& to) {
  alignas(64) float aside[panel];  // of a panel that ends beyond C's last column
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

// Rows of a tile: of the 32 (AVX-512) or 16 registers each takes two for the whole numbers of a
// block and two for their sums.
constexpr int byte_tile_rows = lanes == 16 ? 6 : 3;

// M rows by a panel, all sums in registers.
template <int M>
void byte_tile(const QuantizedRows& a, int i, const std::uint8_t* b, const Place& to) {
  constexpr int vector = lanes * together;  // bytes of a vector of columns
  const std::ptrdiff_t words = a.words(), blocks = a.blocks;
  const std::int32_t* rows = a.numbers.data() + i * words;
  const std::ptrdiff_t first = i * blocks;
  Vector totals[M][2] = {};
  for (std::ptrdiff_t block = 0; block < blocks; ++block, b += block_bytes, rows += block_words) {
    Words sums[M][2] = {};
    if constexpr (raised > 0) {
#pragma GCC unroll 6
      for (int r = 0; r < M; ++r)
        sums[r][0] = sums[r][1] = all_of(-a.raises[std::size_t(first + r * blocks + block)]);
    }
#pragma GCC unroll 8
    for (int p = 0; p < block_words; ++p) {
      const Words left = load_columns(b + 2 * p * vector);
      const Words right = load_columns(b + (2 * p + 1) * vector);
#pragma GCC unroll 6
      for (int r = 0; r < M; ++r) {
        const std::int32_t x = rows[r * words + p];
        add_products(sums[r][0], left, x);
        add_products(sums[r][1], right, x);
      }
    }
    const float* const steps = reinterpret_cast<const float*>(b + number_bytes);
#pragma GCC unroll 6
    for (int r = 0; r < M; ++r) {
      const float step = a.steps[std::size_t(first + r * blocks + block)];
#pragma GCC unroll 2
      for (int w = 0; w < 2; ++w)
        totals[r][w] +=
            __builtin_convertvector(sums[r][w], Vector) * (load(steps + w * lanes) * step);
    }
  }
  finish<M>(totals, to);
}

using ByteTile = void (*)(const QuantizedRows&, int, const std::uint8_t*, const Place&);
constexpr auto byte_tiles = []<int... N>(std::integer_sequence<int, N...>) {
  return std::array<ByteTile, byte_tile_rows>{byte_tile<N + 1>...};
}
(std::make_integer_sequence<int, byte_tile_rows>{});

// The columns of some panels, for all rows: a panel stays in the cache while the rows pass.
void multiply_panels(const QuantizedRows& a, const QuantizedMatrix& b, const Result& c,
                     const Onto& onto, int first, int last) {
  const int blocks = (c.rows + byte_tile_rows - 1) / byte_tile_rows;
  for (int j = first * panel; j < std::min(last * panel, c.columns); j += panel)
    for (int block = 0; block < blocks; ++block) {
      const int i = border(c.rows, blocks, block), rows = border(c.rows, blocks, block + 1) - i;
      byte_tiles[std::size_t(rows - 1)](a, i, b.panel_at(j),
                                        {.c = c.row(i) + j,
                                         .stride = c.stride,
                                         .columns = std::min(panel, c.columns - j),
                                         .start = onto.sum    ? Start::sum
                                                  : onto.bias ? Start::bias
                                                              : Start::zero,
                                         .bias = onto.columns_from(j).bias});
    }
}

}  // namespace

template <>
void gemm(Cpu, const Matrix& a, const QuantizedMatrix& b, const Result& c, const Onto& onto) {
  require(!a.transposed && a.columns == b.rows() && a.rows == c.rows && b.columns() == c.columns,
          "gemm", [&] {
            return "a is (" + std::to_string(a.rows) + ", " + std::to_string(a.columns) +
                   "), b in 8 bits is (" + std::to_string(b.rows()) + ", " +
                   std::to_string(b.columns()) + "), c is (" + std::to_string(c.rows) + ", " +
                   std::to_string(c.columns) + ")";
          });
  thread_local QuantizedRows kept;  // its memory, from call to call
  QuantizedRows& rows = kept;
  rows.blocks = blocks_of(a.columns);
  const std::size_t blocks = std::size_t(a.rows) * std::size_t(rows.blocks);
  rows.numbers.resize(blocks * block_words);
  rows.steps.resize(blocks), rows.raises.resize(blocks);
  const std::ptrdiff_t grain = std::max(1, (1 << 15) / (a.columns + 1));
  parallel_for(a.rows, grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) quantize_row(a.at(i, 0), a.columns, i, rows);
  });
  const ProductShape shape{c.rows, c.columns, a.columns};
  const bool shared = choice_of(shape, KeptWeights::eight_bits, threads(),
                                is_fast ? Arithmetic::fast : Arithmetic::same)
                          .split == ProductChoice::Split::columns;
  const std::ptrdiff_t panels = (c.columns + panel - 1) / panel;
  parallel_for(panels, shared ? 1 : panels, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    multiply_panels(rows, b, c, onto, int(first), int(last));
  });
}

}  // namespace xf::kernel
