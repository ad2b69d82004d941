#pragma once

#include <cstddef>

namespace xf::cuda {

// The number format of the factors: floats, floats of which cuBLAS uses only the TF32 bits, or
// bfloat16.
enum class Numbers { float32, tf32, bfloat16 };

// A factor of a product of row-major matrices, as cuBLAS expects it: `a` is (m, k), or stored
// transposed. Rows are `stride` numbers apart, the matrices of a batch `step` numbers.
struct Factor {
  const void* data;
  bool transposed;
  std::ptrdiff_t stride, step;
};

// C = A B, C += A B if `sum`, or C = A B + bias, for each of `batch` matrices.
//   C: (m, n), floats   bias: (n), floats, or null; must be null with `sum`
// Throws DeviceError with cuBLAS's error message.
void cublas_gemm(Numbers numbers, std::ptrdiff_t batch, int m, int n, int k, const Factor& a,
                 const Factor& b, float* c, std::ptrdiff_t c_stride, std::ptrdiff_t c_step,
                 bool sum, const float* bias);

}  // namespace xf::cuda
