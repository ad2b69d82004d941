#pragma once

#include "support/kernels.hpp"

namespace xf::exercise {

constexpr int tile = 16;

// A matrix on the device that counts how often its numbers are read. A kernel cannot read them in
// any other way.
class Matrix {
 public:
  Matrix(int rows, int columns, int number) : rows(rows), columns(columns), number_(number) {}

  int rows, columns;

  __device__ float operator()(int row, int column) const;

 private:
  int number_;  // 0 is A, 1 is B
};

// C = A B. A block has tile x tile threads and is responsible for as many numbers of C: threadIdx.x
// and blockIdx.x count columns, threadIdx.y and blockIdx.y rows.
//   a: (M, K)   b: (K, N)   c: (M, N), row-major, on the device
__global__ void product(Matrix a, Matrix b, float* c);

}  // namespace xf::exercise
