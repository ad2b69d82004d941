#pragma once

#include "ops/matmul/gemm.hpp"

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

}  // namespace xf::kernel
