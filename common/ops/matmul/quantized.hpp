#pragma once

#include <cstdint>
#include <vector>

#include "ops/matmul/gemm.hpp"

namespace xf::kernel {

// B = W^T in whole numbers of 8 bits, a quarter of the memory: column j is a step s_j times
// numbers of -127 ... 127,
//   B[p, j] ~ s_j q[p, j],   s_j = max_p |B[p, j]| / 127,   q = B / s_j, rounded to the nearest.
// What is rounded is at most half a step. A product with it rounds the rows of A likewise, adds up
// whole numbers, which is exact and has no order, and is scaled at the end:
//   C[i, j] = start + s_i s_j sum_p q[i, p] q[p, j].
// So the digits are the same on every processor in `same` arithmetic, and however many threads
// share the work. (W8A8 with absolute maxima, as in Dettmers et al. 2022, 2.1: "vector-wise".)
class QuantizedMatrix {
 public:
  explicit QuantizedMatrix(const Matrix& b);
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  // The panel of two vectors of columns that begins with column j; word after word (byte_products).
  const std::uint8_t* panel_at(int j) const;
  const float* steps() const { return steps_.data(); }  // filled up with zeros to whole panels

 private:
  int rows_, columns_;
  std::vector<std::uint8_t> panels_;
  std::vector<float> steps_;
};

// C = A B, C += A B, or C = A B + bias. A's rows must not be transposed. A row of A that holds an
// infinity or a NaN gives NaN. Throws std::invalid_argument when the sizes do not fit.
template <class On>
void gemm(On, const Matrix& a, const QuantizedMatrix& b, const Result& c, const Onto& onto = {});

}  // namespace xf::kernel
