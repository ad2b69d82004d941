#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ops/matmul/panel_order.hpp"
#include "ops/matmul/product_choice.hpp"
#include "ops/matmul/skinny.hpp"
#include "ops/matmul/weight_vectors.hpp"
#include "tensor/vectors.hpp"

namespace xf::kernel {

namespace {

constexpr int max_rows = 8;  // of A at a time

// Row i as stored in memory, which is column i of a transposed matrix.
const float* row(const Matrix& matrix, int i) { return matrix.data + i * matrix.stride; }

// How many rows ahead weights are prefetched into the second-level cache, which can have more reads
// outstanding than the first. Short rows are so close together that few processors do this on their
// own: an AMD EPYC reads float32 1.25 times as fast with it, while an Intel Xeon reads one row of
// float32 at memory speed even without it (docs/results/logs/stored-weights.txt).
constexpr int ahead = 32;

// Weights with so many elements do not stay in the second-level cache between two products.
constexpr std::ptrdiff_t many_weights = 1 << 17;

// How many rows of B are multiplied by M rows of A at a time. Each sum is a dependency chain, so
// enough of them must run at once to hide the latency, but no more than fit in registers.
constexpr int rows_at_once(int m) { return m == 1 || (m == 2 && lanes == 16) ? 8 : 4; }

// The start of row j of B^T, as floats or in a file's format, and the distance between two rows.
const char* first_weight(const Matrix& b, int j) {
  return b.stored.format ? b.stored.from(j).first : reinterpret_cast<const char*>(row(b, j));
}
std::ptrdiff_t bytes_of_row(const Matrix& b) {
  return b.stored.format ? b.stored.row_bytes() : b.stride * std::ptrdiff_t{sizeof(float)};
}

// The elements that fill no block: in one function, so that all formats agree on fusing them.
[[gnu::noinline]] float add_rest(float total, const float* x, const float* weights, int count) {
  for (int p = 0; p < count; ++p) total += x[p] * weights[p];
  return total;
}

// C[i, j] = <row i of A, row j of B>: M rows of A against `at_once` rows of B at a time. B's
// elements become floats in registers, where all dot products stay. Where fewer rows of B are left,
// the last one is repeated and the surplus results are dropped.
template <class Block, int M, bool prefetches>
void dot_products(const Matrix& a, const Matrix& b, int j, const Result& c, bool sum) {
  constexpr int at_once = rows_at_once(M);
  const int k = a.columns, columns = std::min(at_once, b.columns - j);
  const char* weights[at_once];
  for (int w = 0; w < at_once; ++w) weights[w] = first_weight(b, j + std::min(w, columns - 1));
  const std::ptrdiff_t distance = ahead * bytes_of_row(b);
  Vector sums[M][at_once / 4][4] = {};
  int p = 0;
  for (std::ptrdiff_t at = 0; p + Block::size <= k; p += Block::size, at += Block::bytes) {
    if constexpr (prefetches)
      for (int w = 0; w < at_once; ++w)
        for (int line = 0; line < Block::bytes; line += 64)
          __builtin_prefetch(weights[w] + at + distance + line, 0, 1);
#pragma GCC unroll 8
    for (int w = 0; w < at_once; ++w) {
      const Block block{weights[w] + at};
#pragma GCC unroll 16
      for (int q = 0; q < Block::size; q += lanes) {
        const Vector numbers = block.vector(q);
        for (int i = 0; i < M; ++i) sums[i][w / 4][w % 4] += load(row(a, i) + p + q) * numbers;
      }
    }
  }
  for (int i = 0; i < M; ++i) {
    float products[at_once];
    for (int w = 0; w < at_once; w += 4) {
      const Quarter four = sums_of(sums[i][w / 4]);
      std::memcpy(products + w, &four, sizeof four);
    }
    for (int w = 0; w < columns; ++w) {
      float total = products[w];
      if constexpr (Block::size == lanes16) {
        float rest[lanes16];
        for (int q = p; q < k; ++q)
          rest[q - p] = Block::one(weights[w] + q * (Block::bytes / Block::size));
        if (p < k) total = add_rest(total, row(a, i) + p, rest, k - p);
      }
      float& to = c.row(i)[j + w];
      to = sum ? to + total : total;
    }
  }
}

constexpr int slab = 32;  // rows of B that pass through the cache together

// C[i, j ... j + W vectors) = (or +=) the sum over p in [first, last) of A[i, p] B[p, j ...).
template <int M, int W, bool prefetches>
void sums_of_strip(int first, int last, const Matrix& a, const Matrix& b, int j, const Result& c,
                   bool add) {
  const std::ptrdiff_t distance = std::ptrdiff_t(slab) * b.stride;  // the next slab is prefetched
  Vector sums[M][W] = {};
  if (add)
    for (int i = 0; i < M; ++i)
      for (int w = 0; w < W; ++w) sums[i][w] = load(c.row(i) + j + w * lanes);
  for (int p = first; p < last; ++p) {
    const float* weights = row(b, p) + j;
    Vector w[W];
    for (int i = 0; i < W; ++i) w[i] = load(weights + i * lanes);
    if constexpr (prefetches)
      for (int i = 0; i < W * lanes; i += lanes16) __builtin_prefetch(weights + distance + i);
    for (int i = 0; i < M; ++i) {
      const float x = row(a, i)[p];
      for (int v = 0; v < W; ++v) sums[i][v] += x * w[v];
    }
  }
  for (int i = 0; i < M; ++i)
    for (int w = 0; w < W; ++w) store(c.row(i) + j + w * lanes, sums[i][w]);
}

// The number of vectors in a strip of M rows: the sums must fit in the registers (32 or 16 of
// them), but there must be enough of them to hide the latency of each chain of additions.
template <int M>
constexpr int strip_vectors = (M == 1   ? 8
                               : M == 2 ? (lanes == 16 ? 8 : 4)
                               : M <= 6 ? (lanes == 16 ? 4 : 2)
                                        : 2);

// C[i, :] = the sum over p in [first, last) of A[i, p] B[p, :].
template <int M, bool prefetches>
void few_rows(int first, int last, const Matrix& a, const Matrix& b, const Result& c, bool add) {
  constexpr int strip = strip_vectors<M> * lanes;
  const int n = c.columns;
  int j = 0;
  for (; j + strip <= n; j += strip)
    sums_of_strip<M, strip_vectors<M>, prefetches>(first, last, a, b, j, c, add);
  for (; j + 2 * lanes <= n; j += 2 * lanes)
    sums_of_strip<M, 2, prefetches>(first, last, a, b, j, c, add);
  for (; j + lanes <= n; j += lanes) sums_of_strip<M, 1, prefetches>(first, last, a, b, j, c, add);
  if (j == n) return;
  float weights[slab * lanes] = {},
                       sums[M * lanes] = {};  // the last columns, filled up to a vector
  for (int p = first; p < last; ++p)
    std::copy_n(row(b, p) + j, n - j, weights + (p - first) * lanes);
  if (add)
    for (int i = 0; i < M; ++i) std::copy_n(c.row(i) + j, n - j, sums + i * lanes);
  sums_of_strip<M, 1, false>(0, last - first, a.columns_from(first, last - first),
                             {weights, last - first, lanes}, 0, {sums, M, lanes}, add);
  for (int i = 0; i < M; ++i) std::copy_n(sums + i * lanes, n - j, c.row(i) + j);
}

// Calls body(first row, std::integral_constant<int, count>) for blocks of nearly equal size, up to
// `most` rows: the kernels above have the number of rows as a constant, so that their sums stay in
// registers.
template <int most, class Body>
void for_blocks(int rows, const Body& body) {
  const int blocks = (rows + most - 1) / most;
  for (int block = 0; block < blocks; ++block) {
    const int first = border(rows, blocks, block), count = border(rows, blocks, block + 1) - first;
    [&]<int... N>(std::integer_sequence<int, N...>) {
      ((count == N + 1 ? body(first, std::integral_constant<int, N + 1>{}) : void()), ...);
    }
    (std::make_integer_sequence<int, most>{});
  }
}

// A few rows of weights at a time stay in the cache while blocks of A's rows pass over them. A
// block is small enough for all sums to stay in registers: up to 8 rows where there are 32
// registers, at most 4 where weights are converted to floats on the way (cpu.cpp).
template <class Block>
void few_rows_transposed(const Matrix& a, const Matrix& b, const Result& c, bool sum) {
  constexpr bool floats = std::is_same_v<Block, Float32Block>;
  constexpr int many_rows = lanes == 16 ? (floats ? 6 : reading_rows) : 3;
  const bool many = !floats || std::ptrdiff_t(b.rows) * b.columns >= many_weights;
  const bool one_block = a.rows <= (floats && lanes == 16 ? max_rows : many_rows);
  const int step = rows_at_once(a.rows), columns = one_block ? c.columns : step;
  for (int first = 0; first < c.columns; first += columns) {
    const auto rows = [&](int i, auto count) {
      const Matrix part = a.rows_from(i, count);
      const Result to = c.rows_from(i, count);
      const auto pass =
          i == 0 && many ? dot_products<Block, count(), true> : dot_products<Block, count(), false>;
      for (int j = first; j < first + columns; j += step) pass(part, b, j, to, sum);
    };
    if constexpr (lanes == 16 && floats)
      one_block ? for_blocks<max_rows>(a.rows, rows) : for_blocks<many_rows>(a.rows, rows);
    else
      for_blocks<many_rows>(a.rows, rows);
  }
}

void any_few_rows_transposed(const Matrix& a, const Matrix& b, const Result& c, bool sum) {
  const StoredFormat* const kind = b.stored.format;
  const auto pass = !kind                  ? few_rows_transposed<Float32Block>
                    : kind == &bf16_format ? few_rows_transposed<Bfloat16Block>
                    : kind == &f16_format  ? few_rows_transposed<Float16Block>
                    : kind == &q8_0_format ? few_rows_transposed<EightBitBlock>
                    : kind == &q4_0_format ? few_rows_transposed<FourBitBlock<false>>
                    : kind == &q4_1_format ? few_rows_transposed<FourBitBlock<true>>
                    : kind == &q5_0_format ? few_rows_transposed<FiveBitBlock<false>>
                    : kind == &q5_1_format ? few_rows_transposed<FiveBitBlock<true>>
                    : kind == &q4_k_format ? few_rows_transposed<GroupedBlock<false>>
                    : kind == &q5_k_format ? few_rows_transposed<GroupedBlock<true>>
                                           : few_rows_transposed<SixBitBlock>;
  pass(a, b, c, sum);
}

// B is processed in slabs of rows; the blocks of A's rows read each slab in turn.
void few_rows_as_it_lies(const Matrix& a, const Matrix& b, const Result& c, bool sum) {
  constexpr int most = lanes == 16 ? max_rows : 6;
  const bool many = std::ptrdiff_t(b.rows) * b.columns >= many_weights;
  for (int first = 0; first < a.columns; first += slab) {
    const int last = std::min(a.columns, first + slab);
    for_blocks<most>(a.rows, [&](int i, auto count) {
      const auto pass = many && i == 0 ? few_rows<count(), true> : few_rows<count(), false>;
      pass(first, last, a.rows_from(i, count), b, c.rows_from(i, count), sum || first > 0);
    });
  }
}

}  // namespace

template <>
void skinny_gemm(Cpu, const Matrix& a, const Matrix& b, const Result& c, bool sum) {
  b.transposed ? any_few_rows_transposed(a, b, c, sum) : few_rows_as_it_lies(a, b, c, sum);
}

}  // namespace xf::kernel
