#pragma once

#include "support/kernels.hpp"

namespace xf::exercise {

constexpr int tile = 16;

// A matrix on the device that counts how often a number of it is read.
struct Matrix {
  const float* numbers;  // (rows, columns), row-major
  int rows, columns;
  int* reads;

  __device__ float operator()(int row, int column) const {
    atomicAdd(reads, 1);
    return numbers[row * columns + column];
  }
};

// C = A B. A block has tile x tile threads and is responsible for as many numbers of C: threadIdx.x
// and blockIdx.x count columns, threadIdx.y and blockIdx.y rows.
//   a: (M, K)   b: (K, N)   c: (M, N), row-major, on the device
__global__ void product(Matrix a, Matrix b, float* c);

}  // namespace xf::exercise
