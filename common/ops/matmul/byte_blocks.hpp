#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ops/matmul/byte_products.hpp"
#include "ops/matmul/quantized.hpp"
#include "ops/matmul/tile.hpp"
#include "tensor/bit_cast.hpp"

namespace xf::kernel {

// The layout of a block of a panel: `block` numbers for each column, and one step per column. With
// 4-bit numbers, the second half of the words is stored in the upper halves of the bytes, and the
// minimums follow the steps.
constexpr int block_words = QuantizedMatrix::block / together;
template <bool four_bits>
constexpr int number_bytes = QuantizedMatrix::block* panel / (four_bits ? 2 : 1);
template <bool four_bits>
constexpr int block_bytes = number_bytes<four_bits> +
                            panel* int(sizeof(float)) * (four_bits ? 2 : 1);
static_assert(QuantizedMatrix::block % (2 * together) == 0);

inline int blocks_of(int numbers) {
  return (numbers + QuantizedMatrix::block - 1) / QuantizedMatrix::block;
}

inline namespace XF_ARITHMETIC {

// The numbers of A in the format that add_products() takes.
using Number = std::conditional_t<together == 4, std::int8_t,
                                  std::conditional_t<together == 2, std::int16_t, std::int32_t>>;

// One quantized block of a row of A, with its step and sums stored inline, so that a tile needs a
// single pointer per row.
struct RowBlock {
  Number numbers[QuantizedMatrix::block];
  float step;
  std::int32_t start;  // initial value of each integer sum: cancels the offset of B's numbers
  float sum;           // of the rounded numbers, times `step`

  std::int32_t word(int p) const {
    std::int32_t w;
    std::memcpy(&w, numbers + p * together, sizeof w);
    return w;
  }
};

// The largest |x| of a block. Magnitudes are ordered like their bits; NaNs come after infinity.
inline float largest_of(const float* x) {
  std::int32_t most = 0;
#pragma omp simd reduction(max : most)
  for (int p = 0; p < QuantizedMatrix::block; ++p) {
    const std::int32_t bits = bit_cast<std::int32_t>(x[p]) & 0x7fffffff;
    most = bits > most ? bits : most;
  }
  return bit_cast<float>(most);
}

// Rounds a block to integers, to nearest, ties to even: the low bits of a float near 3 * 2^22.
// `sums` receives a vector of partial sums of them.
inline void round_block(const float* x, float per_step, Number* q, Vector& sums) {
  using Narrow [[gnu::vector_size(lanes * sizeof(Number))]] = Number;
  constexpr float large = 3 << 22;
  sums = Vector{};
#pragma GCC unroll 8
  for (int p = 0; p < QuantizedMatrix::block; p += lanes) {
    const Vector rounded = (load(x + p) * per_step + large) - large;
    const Narrow narrow = __builtin_convertvector(__builtin_convertvector(rounded, Words), Narrow);
    std::memcpy(q + p, &narrow, sizeof narrow);
    sums += rounded;
  }
}

// Quantizes up to four whole blocks, each with the step max |x| / 127. A block of zeros has the
// step 0, one that is not all finite has NaN. Numbers so small that 127 / most overflows become 0.
inline void quantize_blocks(const float* x, int count, RowBlock* to) {
  constexpr int size = QuantizedMatrix::block;
  constexpr float greatest = std::numeric_limits<float>::max();
  alignas(16) float most[4] = {}, per_step[4], steps[4];
  for (int b = 0; b < count; ++b) most[b] = largest_of(x + b * size);
  for (int b = 0; b < 4; ++b) per_step[b] = 127 / most[b], steps[b] = most[b] / 127;
  Vector sums[4] = {};
  for (int b = 0; b < count; ++b) {
    to[b].step = most[b] <= greatest ? steps[b] : std::numeric_limits<float>::quiet_NaN();
    if (most[b] <= greatest && per_step[b] <= greatest)
      round_block(x + b * size, per_step[b], to[b].numbers, sums[b]);
    else
      std::fill_n(to[b].numbers, size, Number{});
  }
  const Quarter sum = sums_of(sums);
  for (int b = 0; b < count; ++b) {
    to[b].start = -raised * static_cast<std::int32_t>(sum[b]);
    to[b].sum = to[b].step * sum[b];
  }
}

// Quantizes a row, padded with zeros.
inline void quantize_row(const float* x, int count, RowBlock* to) {
  constexpr int size = QuantizedMatrix::block;
  const int whole = count / size, rest = count % size;
  for (int b = 0; b < whole; b += 4) quantize_blocks(x + b * size, std::min(4, whole - b), to + b);
  if (rest == 0) return;
  float filled[size] = {};
  std::copy_n(x + whole * size, rest, filled);
  quantize_blocks(filled, 1, to + whole);
}

}  // namespace XF_ARITHMETIC

}  // namespace xf::kernel
