#pragma once

#include "ops/matmul/gemm.hpp"
#include "tensor/tensor.hpp"

namespace xf::kernel {

// Our own product, in plain C++. As in every fast one (Goto and van de Geijn 2008), tiles of C stay
// in registers, and what they read again and again lies in the order in which they read it: B is
// copied into panels of two vectors, which stay in the second-level cache. A is read where it lies
// unless it is transposed, or its rows would push each other out of the first-level cache.

// Is the product of these sizes faster here than in OpenBLAS? Measured on one thread with the
// shapes of the presets (docs/results/logs/gemm.txt): x W^T and dy W by 0 to 26 %, dy^T x by -6 to
// 9 %, the products of heads by 1 to 29 %, but for the smallest, which stay there.
bool is_for_packed(int m, int n, int k, const Matrix& a, const Matrix& b);

// gemm() on the calling thread alone; C = A B + bias when there is one (a number for each column),
// and `accumulate` is false then.
void packed_gemm(int m, int n, int k, const Matrix& a, const Matrix& b, float* c, int c_stride,
                 bool accumulate, const float* bias = nullptr);

// B (k, n), copied into panels once for many products.
class PackedMatrix {
 public:
  static constexpr int step = 32;  // columns of a panel

  PackedMatrix(int k, int n, const Matrix& b);
  int k() const { return k_; }
  int n() const { return n_; }
  // C[:, first ... last) = A B (+ bias) on the calling thread alone, for A (m, k); `first` is a
  // multiple of `step`. Few rows pass over one panel after the other, and the next one is asked for
  // meanwhile: each number of B is read from memory once.
  void multiply(int m, const Matrix& a, float* c, int c_stride, const float* bias, int first,
                int last) const;

 private:
  int k_, n_, columns_;  // columns_: n, filled up with zeros to whole vectors
  Tensor panels_;
};

}  // namespace xf::kernel
