#pragma once

#include <cstddef>

namespace xf::cuda {

// What the numbers of the factors are: floats, floats of which cuBLAS takes the bits of TF32, or
// bfloat16 numbers.
enum class Numbers { float32, tf32, bfloat16 };

// A factor of a product of row-major matrices, as cuBLAS expects it: `a` is (m, k), or lies
// transposed, each row `stride` numbers after the one before, each matrix of the batch `step`.
struct Factor {
  const void* data;
  bool transposed;
  std::ptrdiff_t stride, step;
};

// C = A B, C += A B for a `sum`, or C = A B + bias, for each of `batch` matrices.
//   C: (m, n), floats   bias: (n), floats, or none; not with a `sum`
// Throws DeviceError with what cuBLAS says.
void cublas_gemm(Numbers numbers, std::ptrdiff_t batch, int m, int n, int k, const Factor& a,
                 const Factor& b, float* c, std::ptrdiff_t c_stride, std::ptrdiff_t c_step,
                 bool sum, const float* bias);

}  // namespace xf::cuda
