#include "ops/matmul/skinny.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace xf::kernel {

namespace {

using Vector = float __attribute__((vector_size(64)));  // 16 floats: one AVX-512 register
constexpr int lanes = 16;

Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

float sum_of(const Vector& v) {
  float sum = 0;
  for (int lane = 0; lane < lanes; ++lane) sum += v[lane];
  return sum;
}

const float* row(const Matrix& matrix, int i) {
  return matrix.data + static_cast<std::ptrdiff_t>(i) * matrix.stride;
}

// C[i, j] = <row i of A, row j of B>: M rows of A against W rows of B at a time, all dot products
// in registers.
template <int M, int W>
void dot_products(int k, const Matrix& a, const Matrix& b, int j, float* c, int c_stride,
                  bool accumulate) {
  Vector sums[M][W] = {};
  int p = 0;
  for (; p + lanes <= k; p += lanes) {
    Vector weights[W];
    for (int w = 0; w < W; ++w) weights[w] = load(row(b, j + w) + p);
    for (int i = 0; i < M; ++i) {
      const Vector x = load(row(a, i) + p);
      for (int w = 0; w < W; ++w) sums[i][w] += x * weights[w];
    }
  }
  for (int i = 0; i < M; ++i)
    for (int w = 0; w < W; ++w) {
      float sum = sum_of(sums[i][w]);
      for (int rest = p; rest < k; ++rest) sum += row(a, i)[rest] * row(b, j + w)[rest];
      float& to = c[static_cast<std::ptrdiff_t>(i) * c_stride + j + w];
      to = accumulate ? to + sum : sum;
    }
}

template <int M>
void few_rows_transposed(int n, int k, const Matrix& a, const Matrix& b, float* c, int c_stride,
                         bool accumulate) {
  constexpr int at_once = M <= 4 ? 4 : 2;
  int j = 0;
  for (; j + at_once <= n; j += at_once)
    dot_products<M, at_once>(k, a, b, j, c, c_stride, accumulate);
  for (; j < n; ++j) dot_products<M, 1>(k, a, b, j, c, c_stride, accumulate);
}

// C[i, :] = the sum over p of A[i, p] B[p, :], four rows of B at a time.
template <int M>
void few_rows(int n, int k, const Matrix& a, const Matrix& b, float* c, int c_stride,
              bool accumulate) {
  if (!accumulate)
    for (int i = 0; i < M; ++i) std::fill_n(c + static_cast<std::ptrdiff_t>(i) * c_stride, n, 0.0f);
  int p = 0;
  for (; p + 4 <= k; p += 4) {
    const float *b0 = row(b, p), *b1 = row(b, p + 1), *b2 = row(b, p + 2), *b3 = row(b, p + 3);
    for (int i = 0; i < M; ++i) {
      const float* x = row(a, i) + p;
      const float x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
      float* y = c + static_cast<std::ptrdiff_t>(i) * c_stride;
#pragma omp simd
      for (int j = 0; j < n; ++j) y[j] += x0 * b0[j] + x1 * b1[j] + x2 * b2[j] + x3 * b3[j];
    }
  }
  for (; p < k; ++p)
    for (int i = 0; i < M; ++i) {
      const float *weights = row(b, p), x = row(a, i)[p];
      float* y = c + static_cast<std::ptrdiff_t>(i) * c_stride;
#pragma omp simd
      for (int j = 0; j < n; ++j) y[j] += x * weights[j];
    }
}

// Calls body(std::integral_constant<int, count>) for 1 <= count <= skinny_rows: the kernels above
// have the number of rows as a constant, so that their sums stay in registers.
template <class Body>
void with_constant(int count, const Body& body) {
  [&]<int... N>(std::integer_sequence<int, N...>) {
    ((count == N + 1 ? body(std::integral_constant<int, N + 1>{}) : void()), ...);
  }
  (std::make_integer_sequence<int, skinny_rows>{});
}

}  // namespace

bool is_skinny(int m, int n, int k, const Matrix& a, const Matrix& b) {
  if (a.transposed || m > skinny_rows) return false;
  // Where it was measured to pay: the smaller weights only as dot products of several rows.
  const std::ptrdiff_t weights = static_cast<std::ptrdiff_t>(n) * k;
  return weights >= (b.transposed && m > 1 ? 1 << 18 : 1 << 19);
}

void skinny_gemm(int m, int n, int k, const Matrix& a, const Matrix& b, float* c, int c_stride,
                 bool accumulate) {
  with_constant(m, [&](auto count) {
    constexpr int rows = decltype(count)::value;
    if (b.transposed)
      few_rows_transposed<rows>(n, k, a, b, c, c_stride, accumulate);
    else
      few_rows<rows>(n, k, a, b, c, c_stride, accumulate);
  });
}

}  // namespace xf::kernel
