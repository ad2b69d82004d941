#include "ops/matmul/skinny.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "tensor/vectors.hpp"

namespace xf::kernel {

namespace {

constexpr int most_rows = 8;  // of A at a time

// Row i as it lies in memory: of a transposed matrix, column i.
const float* row(const Matrix& matrix, int i) { return matrix.data + i * matrix.stride; }

// Rows of weights that are asked for before they are needed, into the second-level cache, which can
// wait for more of them at a time than the first.
constexpr int ahead = 32;

// C[i, j] = <row i of A, row j of B>: M rows of A against 4 rows of B at a time, all dot products
// in registers. With `columns` < 4 only the first of them exist.
template <int M>
void dot_products(const Matrix& a, const Matrix& b, int j, const Result& c, bool sum) {
  const int k = a.columns, columns = std::min(4, b.columns - j);
  const float* weights[4];
  for (int w = 0; w < 4; ++w) weights[w] = row(b, j + std::min(w, columns - 1));
  const std::ptrdiff_t distance = std::ptrdiff_t(ahead) * b.stride;
  Vector16 sums[M][4] = {};
  int p = 0;
  for (; p + lanes16 <= k; p += lanes16) {
    Vector16 w[4];
    for (int i = 0; i < 4; ++i) {
      w[i] = load16(weights[i] + p);
      __builtin_prefetch(weights[i] + distance + p, 0, 1);
    }
    for (int i = 0; i < M; ++i) {
      const Vector16 x = load16(row(a, i) + p);
      for (int v = 0; v < 4; ++v) sums[i][v] += x * w[v];
    }
  }
  for (int i = 0; i < M; ++i) {
    const Quarter products = sums_of(sums[i]);
    for (int w = 0; w < columns; ++w) {
      float total = products[w];
      for (int rest = p; rest < k; ++rest) total += row(a, i)[rest] * weights[w][rest];
      float& to = c.row(i)[j + w];
      to = sum ? to + total : total;
    }
  }
}

constexpr int slab = 32;            // rows of B that pass through the cache together
constexpr int strip = 2 * lanes16;  // columns whose sums are in registers

// C[i, j ... j + strip) = (or +=) the sum over p in [first, last) of A[i, p] B[p, j ... j + strip).
template <int M>
void sums_of_strip(int first, int last, const Matrix& a, const Matrix& b, int j, const Result& c,
                   bool add) {
  const std::ptrdiff_t distance = std::ptrdiff_t(slab) * b.stride;
  Vector16 sums[M][2] = {};
  if (add)
    for (int i = 0; i < M; ++i) std::memcpy(sums[i], c.row(i) + j, sizeof sums[i]);
  for (int p = first; p < last; ++p) {
    const float* weights = row(b, p) + j;
    const Vector16 low = load16(weights), high = load16(weights + lanes16);
    __builtin_prefetch(weights + distance);
    __builtin_prefetch(weights + distance + lanes16);
    for (int i = 0; i < M; ++i) {
      const float x = row(a, i)[p];
      sums[i][0] += x * low;
      sums[i][1] += x * high;
    }
  }
  for (int i = 0; i < M; ++i) std::memcpy(c.row(i) + j, sums[i], sizeof sums[i]);
}

// C[i, :] = the sum over p of A[i, p] B[p, :].
template <int M>
void few_rows(const Matrix& a, const Matrix& b, const Result& c, bool sum) {
  const int n = c.columns, k = a.columns;
  for (int first = 0; first < k; first += slab) {
    const int last = std::min(k, first + slab);
    const bool add = sum || first > 0;
    int j = 0;
    for (; j + strip <= n; j += strip) sums_of_strip<M>(first, last, a, b, j, c, add);
    for (int i = 0; i < M; ++i) {
      float* y = c.row(i);
      if (!add) std::fill(y + j, y + n, 0.0f);
      for (int p = first; p < last; ++p)
        for (int rest = j; rest < n; ++rest) y[rest] += row(a, i)[p] * row(b, p)[rest];
    }
  }
}

// Calls body(std::integral_constant<int, count>) for 1 <= count <= most_rows: the kernels above
// have the number of rows as a constant, so that their sums stay in registers.
template <class Body>
void with_constant(int count, const Body& body) {
  [&]<int... N>(std::integer_sequence<int, N...>) {
    ((count == N + 1 ? body(std::integral_constant<int, N + 1>{}) : void()), ...);
  }
  (std::make_integer_sequence<int, most_rows>{});
}

// 4 rows of weights at a time stay in the cache while blocks of A's rows pass over them. In a block
// of 6, all sums stay in registers.
void few_rows_transposed(const Matrix& a, const Matrix& b, const Result& c, bool sum) {
  const int m = c.rows, block = m <= most_rows ? m : 6;
  for (int j = 0; j < c.columns; j += 4)
    for (int i = 0; i < m; i += block)
      with_constant(std::min(block, m - i), [&](auto count) {
        dot_products<count()>(a.rows_from(i, count), b, j, c.rows_from(i, count), sum);
      });
}

}  // namespace

bool is_skinny(const Matrix& a, const Matrix& b) {
  // Where it was measured to pay.
  const std::ptrdiff_t weights = std::ptrdiff_t(b.rows) * b.columns;
  if (a.transposed) return false;
  return b.transposed ? a.rows <= 4 * most_rows && weights >= 1 << 14
                      : a.rows <= most_rows && weights >= 1 << 16;
}

void skinny_gemm(const Matrix& a, const Matrix& b, const Result& c, bool sum) {
  if (b.transposed) return few_rows_transposed(a, b, c, sum);
  with_constant(a.rows, [&](auto count) { few_rows<count()>(a, b, c, sum); });
}

}  // namespace xf::kernel
