#include "ops/matmul/gemm.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>
#include <xtensor-blas/xblas.hpp>

#include "ops/matmul/packed.hpp"
#include "ops/matmul/skinny.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

GemmPath& current_path() {
  static GemmPath path = [] {
    const char* name = std::getenv("XF_GEMM");
    return name && std::string_view(name) == "openblas" ? GemmPath::openblas : GemmPath::fastest;
  }();
  return path;
}

void repeat(const float* row, float* c, int c_stride, int m, int n) {
  for (int i = 0; i < m; ++i) std::copy_n(row, n, c + static_cast<std::ptrdiff_t>(i) * c_stride);
}

constexpr int few_rows = 4;  // of A: then the time goes into reading B

// Where a second thread pays: with enough work, or, for few rows, with weights that take longer to
// read than a thread takes to begin.
bool is_for_threads(int m, int n, int k) {
  return double(m) * n * k >= 1 << 19 || (m <= few_rows && double(n) * k >= 1 << 16);
}

// How much more of B the caller reads than the others, who begin later: 0.3 µs.
constexpr int head_start = (8 << 10) / sizeof(float);

// body(first, last) for the columns of a product, shared by the threads.
template <class Body>
void share_columns(int m, int n, int k, const Body& body) {
  if (m > few_rows) return parallel_for(n, 8, body);
  const int parts = threads();
  const auto start = [=](int part) {
    const std::ptrdiff_t even = std::ptrdiff_t{n} * part / parts;
    return part == 0 ? 0 : std::min(even + head_start / k, std::ptrdiff_t{n});
  };
  run_parallel(parts, [&](int part) {
    const std::ptrdiff_t first = start(part), last = start(part + 1);
    if (first < last) body(first, last);
  });
}

// On one thread: xtensor-blas's gemm on OpenBLAS, or our own where that is faster.
void one_thread_gemm(int m, int n, int k, Matrix a, Matrix b, float* c, int c_stride,
                     bool accumulate, const float* bias) {
  const bool fastest = current_path() == GemmPath::fastest, skinny = is_skinny(m, n, k, a, b);
  if (fastest && !skinny && is_for_packed(m, n, k, a, b))
    return packed_gemm(m, n, k, a, b, c, c_stride, accumulate, bias);
  if (bias) repeat(bias, c, c_stride, m, n);
  const bool sum = accumulate || bias;
  if (fastest && skinny) return skinny_gemm(m, n, k, a, b, c, c_stride, sum);
  using cxxblas::NoTrans, cxxblas::RowMajor, cxxblas::Trans;
  cxxblas::gemm<int>(RowMajor, a.transposed ? Trans : NoTrans, b.transposed ? Trans : NoTrans, m, n,
                     k, 1.0f, a.data, a.stride, b.data, b.stride, sum ? 1.0f : 0.0f, c, c_stride);
}

}  // namespace

GemmPath gemm_path() { return current_path(); }
void set_gemm_path(GemmPath path) { current_path() = path; }

void gemm(Cpu, int m, int n, int k, Matrix a, Matrix b, float* c, int c_stride, bool accumulate,
          const float* bias) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    const std::vector<float> zeros(static_cast<std::size_t>(n), 0.0f);
    if (!accumulate) repeat(bias ? bias : zeros.data(), c, c_stride, m, n);
    return;
  }
  if (!is_for_threads(m, n, k))
    return one_thread_gemm(m, n, k, a, b, c, c_stride, accumulate, bias);
  if (m >= n) {
    parallel_for(m, 8, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
      Matrix rows = a;
      rows.data += a.transposed ? first : first * a.stride;
      one_thread_gemm(int(last - first), n, k, rows, b, c + first * c_stride, c_stride, accumulate,
                      bias);
    });
  } else {
    share_columns(m, n, k, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
      Matrix columns = b;
      columns.data += b.transposed ? first * b.stride : first;
      one_thread_gemm(m, int(last - first), k, a, columns, c + first, c_stride, accumulate,
                      bias ? bias + first : nullptr);
    });
  }
}

void gemm(Cpu, int m, Matrix a, const PackedMatrix& b, float* c, int c_stride, const float* bias) {
  const int n = b.n(), step = PackedMatrix::step;
  if (!is_for_threads(m, n, b.k())) return b.multiply(m, a, c, c_stride, bias, 0, n);
  if (m >= n) {
    parallel_for(m, 8, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      Matrix rows = a;
      rows.data += a.transposed ? first : first * a.stride;
      b.multiply(int(last - first), rows, c + first * c_stride, c_stride, bias, 0, n);
    });
  } else {
    parallel_for((n + step - 1) / step, 1, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      b.multiply(m, a, c, c_stride, bias, int(first) * step, std::min(n, int(last) * step));
    });
  }
}

void gemm(Cpu, int m, int k, Matrix a, std::span<const Product> products) {
  int columns = 0;
  for (const Product& product : products) columns += product.n;
  if (m >= columns || !is_for_threads(m, columns, k)) {
    for (const Product& p : products) gemm(Cpu{}, m, p.n, k, a, p.b, p.c, p.n, false, p.bias);
    return;
  }
  share_columns(m, columns, k, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    std::ptrdiff_t start = 0;  // of this product's columns among all
    for (const Product& p : products) {
      const std::ptrdiff_t from = std::max(first - start, std::ptrdiff_t{0});
      const std::ptrdiff_t to = std::min(last - start, std::ptrdiff_t{p.n});
      start += p.n;
      if (from >= to) continue;
      Matrix b = p.b;
      b.data += b.transposed ? from * b.stride : from;
      one_thread_gemm(m, int(to - from), k, a, b, p.c + from, p.n, false,
                      p.bias ? p.bias + from : nullptr);
    }
  });
}

}  // namespace xf::kernel
