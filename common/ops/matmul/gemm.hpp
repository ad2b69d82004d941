#pragma once

#include "tensor/device.hpp"

namespace xf::kernel {

// How a matrix is read: rows apart by `stride` elements, transposed or not.
struct Matrix {
  const float* data;
  int stride;
  bool transposed = false;
};

// C = A B, or C += A B when `accumulate`: A is (m, k), B is (k, n), after transposing. C's rows
// are `stride` elements apart. Large products are split over the threads, unless the caller is
// itself one of several tasks.
void gemm(Cpu, int m, int n, int k, Matrix a, Matrix b, float* c, int c_stride, bool accumulate);

}  // namespace xf::kernel
