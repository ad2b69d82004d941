#pragma once

#include "cuda/narrow.hpp"
#include "cuda/wmma.hpp"
#include "ops/attention/packed_tiles.hpp"

// Packed attention with its products on tensor cores: tiles in shared memory, in the number format
// that these need, and products of tiles, of which a warp computes 16 x 16 at a time.
namespace xf::kernel {

namespace wmma = nvcuda::wmma;

// The format of the factors: how their numbers are stored, and how deep in k one instruction is.
struct InBfloat16 {
  using Number = __nv_bfloat16;
  using Kind = __nv_bfloat16;
  static constexpr int k = 16;
  __device__ static Number rounded(float x) { return __float2bfloat16(x); }
  __device__ static float number(Number x) { return __bfloat162float(x); }
};
struct InTf32 {
  using Number = float;
  using Kind = wmma::precision::tf32;
  static constexpr int k = 8;
  __device__ static Number rounded(float x) { return cuda::to_tf32(x); }
  __device__ static float number(Number x) { return x; }
};

constexpr int core = 16, score_stride = tile + 4, staged_stride = strip + 4;

// Rows 16 bytes longer than a strip, so that consecutive rows begin in different banks.
template <class In>
struct __align__(32) CoreTile {
  static constexpr unsigned stride = strip + 16 / sizeof(typename In::Number);
  typename In::Number rows[tile][stride];
};
// One number for each pair of own and other row: first floats, later overwritten by factors.
template <class In>
union __align__(32) CoreScores {
  static constexpr unsigned stride = score_stride * sizeof(float) / sizeof(typename In::Number);
  float numbers[tile][score_stride];
  typename In::Number factors[tile][stride];
};
// Results, staged to be written row by row.
struct __align__(32) Staged {
  float rows[tile][staged_stride];
};

template <class In, class Use, class Layout>
using Factor = wmma::fragment<Use, core, core, In::k, typename In::Kind, Layout>;
template <class In>
using Sum = wmma::fragment<wmma::accumulator, core, core, In::k, float>;

// A warp's share of a tile's products: 16 rows, and every second group of 16 columns.
__device__ inline int core_row() { return warp_of_block() / 2 * core; }
__device__ inline int core_column(int p) { return (warp_of_block() % 2 + 2 * p) * core; }
template <class In>
struct Sums {
  Sum<In> of[strip / core / 2];

  __device__ Sums() {
    for (Sum<In>& sum : of) wmma::fill_fragment(sum, 0.0f);
  }
};

// A lane's share of the scores: eight consecutive ones in one of its warp's eight rows, so that
// four lanes share a row.
constexpr int lanes_of_row = cuda::warp_lanes / own_rows, lane_scores = tile / lanes_of_row;
__device__ inline int score_row() {
  return warp_of_block() * own_rows + cuda::lane_number() / lanes_of_row;
}
__device__ inline int score_column() { return cuda::lane_number() % lanes_of_row * lane_scores; }

// How a block iterates over the rows of a head, four numbers at a time: `each` is called with the
// index of the thread's step, a row of the tile and a column.
constexpr int steps_of_thread = tile * strip / 4 / (warps * cuda::warp_lanes);
template <class Each>
__device__ void for_each_four(const PackedSentences& all, const Each& each) {
  const int log2 = all.loaders_log2() - 2, last = tile << log2;
  constexpr int threads = warps * cuda::warp_lanes;
  for (int m = 0; m < steps_of_thread; ++m) {
    const int n = static_cast<int>(threadIdx.x) + m * threads;
    if (n < last) each(m, n >> log2, 4 * (n & ((1 << log2) - 1)));
  }
}

// Where rows first, first + 1 ... begin, and how many are left: from there, 32-bit offsets suffice.
struct RowsFrom {
  std::ptrdiff_t start;
  int left, columns, width;

  __device__ RowsFrom(const PackedSentences& all, const Rows& rows, int first)
      : start(rows.start + std::ptrdiff_t(first) * all.width),
        left(rows.count - first),
        columns(all.d_k),
        width(all.width) {}
  __device__ bool has(int row, int column) const { return row < left && column < columns; }
  __device__ int place(int row, int column) const { return row * width + column; }
  __device__ float4 four_of(const float* x, int row, int column) const {
    return has(row, column) ? *reinterpret_cast<const float4*>(x + start + place(row, column))
                            : float4{0, 0, 0, 0};
  }
};

template <class In>
__device__ void put_four(CoreTile<In>& to, int row, int column, const float4& x) {
  typename In::Number* const place = &to.rows[row][column];
  place[0] = In::rounded(x.x);
  place[1] = In::rounded(x.y);
  place[2] = In::rounded(x.z);
  place[3] = In::rounded(x.w);
}

// Loads rows first, first + 1 ... of x, with 0 beyond the last one.
template <class In>
__device__ void load(const PackedSentences& all, const float* x, const Rows& rows, int first,
                     CoreTile<In>& to) {
  const RowsFrom from(all, rows, first);
  float4 held[steps_of_thread];  // a thread issues all loads before it waits for the first
  for_each_four(all, [&](int m, int r, int c) { held[m] = from.four_of(x, r, c); });
  for_each_four(all, [&](int m, int r, int c) { put_four(to, r, c, held[m]); });
}

// The same for dy, and <dy, y> of each row. It uses dy as rounded for the product, so that a query
// with only one key gets a score gradient of 0.
template <class In>
__device__ void load_with_dots(const PackedSentences& all, const float* dy, const float* y,
                               const Rows& rows, int first, CoreTile<In>& to, float* dots) {
  float4 held[steps_of_thread], of_y[steps_of_thread];
  const RowsFrom from(all, rows, first);
  for_each_four(all, [&](int m, int r, int c) { held[m] = from.four_of(dy, r, c); });
  for_each_four(all, [&](int m, int r, int c) { of_y[m] = from.four_of(y, r, c); });
  for_each_four(all, [&](int m, int r, int c) {
    const auto times = [](float a, float b) { return In::number(In::rounded(a)) * b; };
    const float4 &a = held[m], &b = of_y[m];
    const float sum =
        cuda::warp_sum(times(a.x, b.x) + times(a.y, b.y) + times(a.z, b.z) + times(a.w, b.w),
                       1 << (all.loaders_log2() - 2));
    if (c == 0) dots[r] = sum;
    put_four(to, r, c, a);
  });
}

// The dot products, over d_k numbers, of all own rows with all other rows.
template <class In>
__device__ void multiply_rows(const CoreTile<In>& own, const CoreTile<In>& other, int d_k,
                              CoreScores<In>& to) {
  const int i = core_row(), j = core_column(0);
  Sum<In> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int c = 0; c < d_k; c += In::k) {
    Factor<In, wmma::matrix_a, wmma::row_major> a;
    Factor<In, wmma::matrix_b, wmma::col_major> b;
    wmma::load_matrix_sync(a, &own.rows[i][c], own.stride);
    wmma::load_matrix_sync(b, &other.rows[j][c], other.stride);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(&to.numbers[i][j], sum, score_stride, wmma::mem_row_major);
}

// Adds the other rows (`left` of them, at most a whole tile) to each own row, each times its
// weight. With `by_columns`, the weights of an own row are a column.
template <bool by_columns, class In>
__device__ void add_rows(const CoreScores<In>& weights, const CoreTile<In>& other, int left,
                         int d_k, Sums<In>& sums) {
  using Layout = std::conditional_t<by_columns, wmma::col_major, wmma::row_major>;
  const int i = core_row();
  for (int j = 0; j < tile && j < left; j += In::k) {
    Factor<In, wmma::matrix_a, Layout> a;
    wmma::load_matrix_sync(a, by_columns ? &weights.factors[j][i] : &weights.factors[i][j],
                           weights.stride);
    for (int p = 0; p < strip / core / 2; ++p) {
      if (core_column(p) >= d_k) continue;
      Factor<In, wmma::matrix_b, wmma::row_major> b;
      wmma::load_matrix_sync(b, &other.rows[j][core_column(p)], other.stride);
      wmma::mma_sync(sums.of[p], a, b, sums.of[p]);
    }
  }
}

template <class In>
__device__ void stage(const Sums<In>& sums, int d_k, Staged& to) {
  for (int p = 0; p < strip / core / 2; ++p)
    if (core_column(p) < d_k)
      wmma::store_matrix_sync(&to.rows[core_row()][core_column(p)], sums.of[p], staged_stride,
                              wmma::mem_row_major);
}

// Writes the staged rows to rows first, first + 1 ... of y.
__device__ inline void write(const PackedSentences& all, const Staged& staged, const Rows& rows,
                             int first, const cuda::Written& y) {
  const RowsFrom to(all, rows, first);
  const cuda::Written from_start = y.from(to.start);
  for_each_four(all, [&](int, int r, int c) {
    if (to.has(r, c))
      from_start.put(to.place(r, c), *reinterpret_cast<const float4*>(&staged.rows[r][c]));
  });
}

}  // namespace xf::kernel
