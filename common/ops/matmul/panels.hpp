#pragma once

#include "ops/matmul/gemm.hpp"
#include "tensor/tensor.hpp"

namespace xf::kernel {

// Our own product, in plain C++. As in every fast one (Goto and van de Geijn 2008), tiles of C stay
// in registers, and what they read again and again lies in the order in which they read it: B is
// copied into panels of two vectors, which stay in the second-level cache. A is read where it lies
// unless it is transposed, or its rows would push each other out of the first-level cache.

// Is A B faster here than in OpenBLAS? Measured on one thread with the shapes of the presets
// (docs/results/logs/gemm.txt): x W^T and dy W by 0 to 26 %, dy^T x by -6 to 9 %, the products of
// heads by 1 to 29 %, but for the smallest, which stay there.
bool is_for_panels(const Matrix& a, const Matrix& b);

// gemm() on the calling thread alone.
void panel_gemm(const Matrix& a, const Matrix& b, const Result& c, const Onto& onto = {});

// B, copied into panels once for many products.
class PanelMatrix {
 public:
  static constexpr int step = 32;  // columns of a panel

  explicit PanelMatrix(const Matrix& b);
  explicit PanelMatrix(const Tensor& weight);  // W^T of a linear layer's W (out, in)
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  // C[:, first ... last) = A B (+ bias) on the calling thread alone; `first` is a multiple of
  // `step`. Few rows pass over one panel after the other, and the next one is asked for meanwhile:
  // each number of B is read from memory once.
  void multiply(const Matrix& a, const Result& c, const Onto& onto, int first, int last) const;

 private:
  int rows_, columns_, filled_;  // filled_: columns, filled up with zeros to whole vectors
  Tensor panels_;
};

}  // namespace xf::kernel
