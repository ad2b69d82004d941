#include "ops/matmul/gemm.hpp"

#include <algorithm>
#include <xtensor-blas/xblas.hpp>

#include "ops/matmul/skinny.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

// On one thread: xtensor-blas's gemm on OpenBLAS, or our own where that copies too much.
void one_thread_gemm(int m, int n, int k, Matrix a, Matrix b, float* c, int c_stride,
                     bool accumulate) {
  if (is_skinny(m, n, k, a, b)) return skinny_gemm(m, n, k, a, b, c, c_stride, accumulate);
  using cxxblas::NoTrans, cxxblas::RowMajor, cxxblas::Trans;
  cxxblas::gemm<int>(RowMajor, a.transposed ? Trans : NoTrans, b.transposed ? Trans : NoTrans, m, n,
                     k, 1.0f, a.data, a.stride, b.data, b.stride, accumulate ? 1.0f : 0.0f, c,
                     c_stride);
}

}  // namespace

void gemm(Cpu, int m, int n, int k, Matrix a, Matrix b, float* c, int c_stride, bool accumulate) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!accumulate)
      for (int i = 0; i < m; ++i)
        std::fill_n(c + static_cast<std::ptrdiff_t>(i) * c_stride, n, 0.0f);
    return;
  }
  const double work = double(m) * n * k;
  if (work < 1 << 19) return one_thread_gemm(m, n, k, a, b, c, c_stride, accumulate);
  if (m >= n) {
    parallel_for(m, 8, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
      Matrix rows = a;
      rows.data += a.transposed ? first : first * a.stride;
      one_thread_gemm(int(last - first), n, k, rows, b, c + first * c_stride, c_stride, accumulate);
    });
  } else {
    parallel_for(n, 8, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
      Matrix columns = b;
      columns.data += b.transposed ? first * b.stride : first;
      one_thread_gemm(m, int(last - first), k, a, columns, c + first, c_stride, accumulate);
    });
  }
}

}  // namespace xf::kernel
