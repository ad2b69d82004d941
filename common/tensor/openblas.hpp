#pragma once

#include <cstddef>

namespace xf::openblas {

// The engine's only interface to OpenBLAS. A build without it has no_openblas.cpp in place of
// openblas.cpp: in a page, every product is our own.

// How many floats its vectors hold: 16, 8 or 4; 0 without OpenBLAS. It has a kernel for each family
// of processors, and takes an old one for a processor that is newer than itself.
int lanes();

// Products of the calling thread use one thread.
void use_one_thread();

// OpenBLAS maps 128 MiB for each concurrent product and, where the system has no more addresses,
// retries for ever. So gemm() makes sure that there are as many buffers as threads that call it,
// and throws UserError where that is impossible. Code that multiplies in another way calls this
// first, on each thread.
void bring_buffer();
// Are there addresses for this many more buffers? Where there are not, the threads that OpenBLAS
// starts with the program may be retrying as well; a program that ends waits for them.
bool has_room(std::size_t buffers);

// C = A B, or, with `sum`, C += A B: C is (m, n), A (m, k), B (k, n). Rows are `stride` apart, and
// a transposed matrix is stored as its transpose.
struct Operand {
  const float* data;
  std::ptrdiff_t stride;
  bool transposed;
};
void gemm(int m, int n, int k, const Operand& a, const Operand& b, float* c,
          std::ptrdiff_t c_stride, bool sum);

}  // namespace xf::openblas
