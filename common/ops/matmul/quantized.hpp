#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/matmul/gemm.hpp"

namespace xf::kernel {

// B = W^T in 8-bit integers, with a step for each block of 32 numbers of a column: for block b of
// column j
//   B[p, j] ~ s[b, j] q[p, j],   s[b, j] = max_p |B[p, j]| / 127,   q = B / s, to nearest.
// The rounding error is at most half a step, and an outlier coarsens only the step of its own
// block. This takes a little more than a quarter of the memory: 9 bits per weight. A product rounds
// the rows of A in the same way. Within a block it adds integers, which is exact in any order, and
// it adds the blocks in order:
//   C[i, j] = (sum over b of (sum over p in b of q[i, p] q[p, j]) s[i, b] s[b, j]) + start.
// So in `same` arithmetic the digits are the same on every processor, with any number of threads.
// (Absolute maxima of blocks: Dettmers et al. 2022, "8-bit optimizers via block-wise quantization",
// 2.1; the blocks are those of GGUF's Q8_0.)
class QuantizedMatrix {
 public:
  static constexpr int block = 32;

  // If B's blocks are stored as integers (tensor/stored_rows.hpp), those are used directly,
  //   B[p, j] = s[b, j] q[p, j] + m[b, j],
  // and two of 4 bits share a byte. The sum over p in b then adds m[b, j] s[i, b] sum of q[i, p].
  explicit QuantizedMatrix(const Matrix& b);
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  bool has_four_bits() const { return four_bits_; }
  // The panel of two vectors of columns that begins with column j: for each block its numbers, word
  // by word (byte_products.hpp), followed by its steps.
  const std::uint8_t* panel_at(int j) const;

 private:
  struct alignas(64) CacheLine {
    std::uint8_t x[64];
  };
  int rows_, columns_;
  bool four_bits_;
  std::vector<CacheLine> panels_;
};

// Quantizes the numbers x[0 ... count) of a block in steps of max |x| / 127, padded with zeros.
// Returns the step: 0 if all are 0, NaN if one is not finite.
float quantize_block(const float* x, int count, std::int8_t (&q)[QuantizedMatrix::block]);

// Products of one A with several B, each C = A B, C += A B, or C = A B + bias: A is rounded once
// for all. A must not be transposed. A row of A that holds an infinity or a NaN gives NaN.
// Throws std::invalid_argument when the sizes do not fit.
struct QuantizedProduct {
  const QuantizedMatrix* b;
  Result c;
  Epilogue epilogue = {};
};
template <class On>
void gemm(On, const Matrix& a, std::span<const QuantizedProduct> products);

}  // namespace xf::kernel
