#pragma once

#include <cstddef>

namespace xf::cuda {

// A product of row-major matrices as cuBLAS is asked for it: `a` is (m, k), or lies transposed,
// each row `a_stride` numbers after the one before, each matrix of the batch `a_step`.
struct Operand {
  const float* data;
  bool transposed;
  std::ptrdiff_t stride, step;
};

// C = A B, or C += A B for a `sum`, for each of `batch` matrices.   C: (m, n)
void cublas_gemm(std::ptrdiff_t batch, int m, int n, int k, const Operand& a, const Operand& b,
                 float* c, std::ptrdiff_t c_stride, std::ptrdiff_t c_step, bool sum);

}  // namespace xf::cuda
