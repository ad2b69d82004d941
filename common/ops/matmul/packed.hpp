#pragma once

#include "ops/matmul/gemm.hpp"

namespace xf::kernel {

// Our own product, in plain C++. As in every fast one (Goto and van de Geijn 2008), tiles of C stay
// in registers, and what they read again and again lies in the order in which they read it: B is
// copied into panels of two vectors, which stay in the second-level cache. A is read where it lies,
// so it is meant for an A that is not transposed, or is small.

// Is the product of these sizes faster here than in OpenBLAS? Measured one thread at a time on the
// shapes of the presets: x W^T and dy W by 10 to 30 %, the products of heads by up to 40 %; dy^T x
// is not (docs/results/logs/gemm.txt).
bool is_for_packed(int m, int n, int k, const Matrix& a);

// gemm() on the calling thread alone; C = A B + bias when there is one (a number for each column),
// and `accumulate` is false then.
void packed_gemm(int m, int n, int k, const Matrix& a, const Matrix& b, float* c, int c_stride,
                 bool accumulate, const float* bias = nullptr);

}  // namespace xf::kernel
