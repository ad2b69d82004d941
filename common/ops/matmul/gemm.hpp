#pragma once

#include <span>

#include "tensor/device.hpp"

namespace xf::kernel {

// How a matrix is read: rows apart by `stride` elements, transposed or not.
struct Matrix {
  const float* data;
  int stride;
  bool transposed = false;
};

// C = A B, or C += A B when `accumulate`: A is (m, k), B is (k, n), after transposing. C's rows
// are `stride` elements apart. With a `bias` (n), which is not for `accumulate`, C = A B + bias in
// every row. Large products are split over the threads, unless the caller is itself one of several
// tasks.
void gemm(Cpu, int m, int n, int k, Matrix a, Matrix b, float* c, int c_stride, bool accumulate,
          const float* bias = nullptr);

// C = A B + bias, where B (k, n) was brought into the fastest order before (packed.hpp).
class PackedMatrix;
void gemm(Cpu, int m, Matrix a, const PackedMatrix& b, float* c, int c_stride,
          const float* bias = nullptr);

// Products of one A (m, k) with several B (k, n), C = A B + bias for each: one task for the threads
// together. For few rows that matters; a thread takes as long to begin as to read a small weight.
struct Product {
  int n;
  Matrix b;
  float* c;  // (m, n), its rows n apart
  const float* bias = nullptr;
};
void gemm(Cpu, int m, int k, Matrix a, std::span<const Product> products);

// Where products are computed: by whatever was measured to be fastest for their shape, or all by
// OpenBLAS, to compare (also with the environment variable XF_GEMM=openblas). Set it only while no
// product runs.
enum class GemmPath { fastest, openblas };
GemmPath gemm_path();
void set_gemm_path(GemmPath path);

}  // namespace xf::kernel
