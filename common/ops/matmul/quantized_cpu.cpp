#include <algorithm>
#include <array>
#include <string>

#include "ops/check.hpp"
#include "ops/matmul/byte_products.hpp"
#include "ops/matmul/panel_order.hpp"
#include "ops/matmul/product_choice.hpp"
#include "ops/matmul/quantized.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

// A's rows in steps of their own.
struct QuantizedRows {
  int words;                          // a row, the last one filled up with zeros
  std::vector<std::int32_t> numbers;  // (rows, words), `together` in each
  std::vector<float> steps;           // (rows)
  std::vector<std::int32_t> raises;   // (rows): what `raised` adds to each of a row's sums

  const std::int32_t* row(int i) const { return numbers.data() + std::ptrdiff_t(i) * words; }
};

// The largest |x|, or NaN if one of them is not finite.
float largest_size(const float* x, int count) {
  const float most = largest(count, [x](int i) { return x[i] < 0 ? -x[i] : x[i]; });
  return most + sum_over(count, [x](std::ptrdiff_t i) { return x[i] * 0; });
}

// x / step, rounded to the nearest whole number, of two the even one. Whole numbers are what is
// left of a float near 3 * 2^22.
std::int32_t rounded(float x, float per_step) {
  constexpr float large = 3 << 22;
  const float shifted = x * per_step + large;
  return static_cast<std::int32_t>(shifted - large);
}

void quantize_row(const float* x, int count, int i, QuantizedRows& to) {
  const float most = largest_size(x, count);
  const bool scales = most > 0;  // false for a NaN, too: then the step alone is one
  const float per_step = scales ? 127 / most : 0;
  to.steps[std::size_t(i)] = most / 127;
  using Number = std::conditional_t<together == 4, std::int8_t,
                                    std::conditional_t<together == 2, std::int16_t, std::int32_t>>;
  auto* const numbers = reinterpret_cast<Number*>(to.numbers.data() + std::ptrdiff_t(i) * to.words);
  std::int32_t sum = 0;
  if (scales) {
#pragma omp simd reduction(+ : sum)
    for (int p = 0; p < count; ++p) {
      const std::int32_t q = rounded(x[p], per_step);
      numbers[p] = static_cast<Number>(q);
      sum += q;
    }
  } else {
    std::fill_n(numbers, count, Number{});
  }
  std::fill(numbers + count, numbers + to.words * together, Number{});
  to.raises[std::size_t(i)] = raised * sum;
}

// What the sums of a tile become: some rows of C, up to a panel of its columns.
struct Place {
  float* c;
  std::ptrdiff_t stride;
  int columns;
  Start start;
  const float* bias;   // of these columns
  const float* steps;  // of these columns
};

template <int M>
void finish(const Words (&sums)[M][2], const QuantizedRows& a, int i, const Place& to) {
  alignas(64) float aside[panel];  // of a panel that ends beyond C's last column
  for (int r = 0; r < M; ++r) {
    float* const row = to.c + r * to.stride;
    const float* start = to.start == Start::sum ? row : to.start == Start::bias ? to.bias : nullptr;
    const bool whole = to.columns == panel;
    if (start && !whole) {
      std::fill(std::copy_n(start, to.columns, aside), aside + panel, 0.0f);
      start = aside;
    }
    const float step = a.steps[std::size_t(i + r)];
    const std::int32_t raises = a.raises[std::size_t(i + r)];
#pragma GCC unroll 2
    for (int w = 0; w < 2; ++w) {
      Vector value = __builtin_convertvector(sums[r][w] - raises, Vector);
      value *= load(to.steps + w * lanes) * step;
      if (start) value += load(start + w * lanes);
      store((whole ? row : aside) + w * lanes, value);
    }
    if (!whole) std::copy_n(aside, to.columns, row);
  }
}

// M rows by a panel, all sums in registers.
template <int M>
void byte_tile(const QuantizedRows& a, int i, const std::uint8_t* b, const Place& to) {
  constexpr int vector = lanes * together;  // bytes of a vector of columns
  const std::int32_t* const rows = a.row(i);
  const std::ptrdiff_t stride = a.words;
  Words sums[M][2] = {};
#pragma GCC unroll 2
  for (int p = 0; p < a.words; ++p, b += 2 * vector) {
    const Words first = load_columns(b), second = load_columns(b + vector);
#pragma GCC unroll 14
    for (int r = 0; r < M; ++r) {
      const std::int32_t x = rows[r * stride + p];
      add_products(sums[r][0], first, x);
      add_products(sums[r][1], second, x);
    }
  }
  finish<M>(sums, a, i, to);
}

using ByteTile = void (*)(const QuantizedRows&, int, const std::uint8_t*, const Place&);
constexpr auto byte_tiles = []<int... N>(std::integer_sequence<int, N...>) {
  return std::array<ByteTile, tile_rows>{byte_tile<N + 1>...};
}
(std::make_integer_sequence<int, tile_rows>{});

// The columns of some panels, for all rows: a panel stays in the cache while the rows pass.
void multiply_panels(const QuantizedRows& a, const QuantizedMatrix& b, const Result& c,
                     const Onto& onto, int first, int last) {
  const int blocks = (c.rows + tile_rows - 1) / tile_rows;
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
                                         .bias = onto.columns_from(j).bias,
                                         .steps = b.steps() + j});
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
  rows.words = (a.columns + together - 1) / together;
  rows.numbers.resize(std::size_t(a.rows) * std::size_t(rows.words));
  rows.steps.resize(std::size_t(a.rows)), rows.raises.resize(std::size_t(a.rows));
  const std::ptrdiff_t grain = std::max(1, (1 << 15) / (a.columns + 1));
  parallel_for(a.rows, grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) quantize_row(a.at(i, 0), a.columns, int(i), rows);
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
