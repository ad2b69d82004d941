#pragma once

#include <cstddef>

namespace xf::openblas {

// The engine's only interface to OpenBLAS. A build without it, such as a page, has no_openblas.cpp
// in place of openblas.cpp, and computes every product with our own kernels.

// How many floats the vectors of its kernels hold: 16, 8 or 4; 0 without OpenBLAS. It has kernels
// for each family of processors, and falls back to old ones on a processor newer than itself.
int lanes();

// From now on, products on the calling thread use a single thread.
void use_one_thread();

// OpenBLAS maps 128 MiB for each concurrent product and, if the address space is exhausted, retries
// forever. So gemm() makes sure that there are as many buffers as threads that call it, and throws
// UserError if that is impossible. Code that calls OpenBLAS in another way must call this first, on
// each thread.
void bring_buffer();
// Whether the address space has room for this many more buffers. If not, the threads that OpenBLAS
// starts with the program may be retrying as well, and a normal exit would wait for them.
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
