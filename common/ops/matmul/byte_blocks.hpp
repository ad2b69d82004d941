#pragma once

#include <cstdint>
#include <limits>

#include "ops/matmul/byte_products.hpp"
#include "ops/matmul/quantized.hpp"
#include "ops/matmul/tile.hpp"
#include "tensor/bit_cast.hpp"

namespace xf::kernel {

// How a block of a panel lies: `block` numbers for each of its columns, and a step for each.
constexpr int block_words = QuantizedMatrix::block / together;
constexpr int number_bytes = QuantizedMatrix::block * panel;
constexpr int block_bytes = number_bytes + panel * int(sizeof(float));
static_assert(QuantizedMatrix::block % together == 0);

inline int blocks_of(int numbers) {
  return (numbers + QuantizedMatrix::block - 1) / QuantizedMatrix::block;
}

inline namespace XF_ARITHMETIC {

// Whole numbers of a whole block in steps of its largest size / 127, rounded to the nearest, of two
// the even one: what is left of a float near 3 * 2^22. Returns the step.
template <class Number>
float quantize_whole(const float* x, Number* q) {
  constexpr int count = QuantizedMatrix::block;
  constexpr float large = 3 << 22;
  std::int32_t most_bits = 0;  // sizes are in the order of their bits; beyond them those of a NaN
#pragma omp simd reduction(max : most_bits)
  for (int p = 0; p < count; ++p) {
    const std::int32_t bits = bit_cast<std::int32_t>(x[p]) & 0x7fffffff;
    most_bits = bits > most_bits ? bits : most_bits;
  }
  const float most = bit_cast<float>(most_bits);
  const bool finite = most <= std::numeric_limits<float>::max();
  // Of numbers so small that 127 / most is none, nothing is left.
  const bool scales = finite && most >= 127 / std::numeric_limits<float>::max();
  const float per_step = scales ? 127 / most : 0;
#pragma omp simd
  for (int p = 0; p < count; ++p) {
    const float shifted = (scales ? x[p] : 0) * per_step + large;
    q[p] = static_cast<Number>(static_cast<std::int32_t>(shifted - large));
  }
  return finite ? most / 127 : std::numeric_limits<float>::quiet_NaN();
}

// The same of up to a block, with zeros after its numbers.
template <class Number>
float quantize(const float* x, int count, Number* q) {
  if (count == QuantizedMatrix::block) return quantize_whole(x, q);
  float filled[QuantizedMatrix::block] = {};
  for (int p = 0; p < count; ++p) filled[p] = x[p];
  return quantize_whole(filled, q);
}

}  // namespace XF_ARITHMETIC

}  // namespace xf::kernel
