#include "ops/matmul/panels.hpp"

#include <algorithm>
#include <vector>

namespace xf::kernel {

namespace {

constexpr std::ptrdiff_t panels_size = 1 << 18;  // floats: half of the second-level cache
constexpr int copied_rows = 272;                 // of A at a time
constexpr int copy_stride = max_depth + 16;      // avoids conflicts in the cache

struct alignas(64) CacheLine {
  float x[16];
};

// Memory of this thread, kept between calls.
float* copied_a() {
  thread_local std::vector<CacheLine> lines(copied_rows * copy_stride / 16);
  return lines.front().x;
}
float* panels_of_b() {
  thread_local std::vector<CacheLine> lines(panels_size / 16);
  return lines.front().x;
}

int max_columns(int depth) { return int(panels_size / depth) / panel * panel; }

// A tile that extends beyond C's last column: computed in a buffer, whose valid columns are copied.
void partial_tile(Tile compute, TileOperands o, int rows, int columns) {
  alignas(64) float aside[tile_rows * panel];
  float bias[panel] = {};
  float* c = std::exchange(o.c, aside);
  const std::ptrdiff_t c_stride = std::exchange(o.c_stride, panel);
  if (o.start == Start::bias) {
    std::copy_n(o.bias, columns, bias);
    o.bias = bias;
  }
  if (o.start == Start::sum)
    for (int i = 0; i < rows; ++i) std::copy_n(c + i * c_stride, columns, aside + i * panel);
  compute(o);
  for (int i = 0; i < rows; ++i) std::copy_n(aside + i * panel, columns, c + i * c_stride);
}

// Prefetches rows of A that the tiles will read in place.
void prefetch_rows(const Matrix& a, int first, int last) {
  for (int i = first; i < last; ++i)
    for (int p = 0; p < a.columns; p += 16) __builtin_prefetch(a.at(i, p));
}

// A small matrix needs no panels: its rows stay in the first-level cache.
bool is_small(int rows, int columns) { return std::ptrdiff_t(rows) * columns <= 1 << 12; }

// Must rows of A be copied? Those of a transposed matrix must, and those whose stride maps them all
// to the same few lines of the first-level cache.
bool must_be_copied(const Matrix& a) {
  return a.transposed ? !is_small(a.rows, a.columns) : a.stride % 1024 == 0 && a.rows > tile_rows;
}

// to[i, p] = A[i, p]; the rows of `to` are copy_stride apart.
void copy_rows(const Matrix& a, float* to) {
  const int rows = a.rows, depth = a.columns;
  const float* from = a.data;
  const std::ptrdiff_t stride = a.stride;
  if (!a.transposed) {
    for (int i = 0; i < rows; ++i) std::copy_n(from + i * stride, depth, to + i * copy_stride);
    return;
  }
  const int whole_rows = rows / lanes * lanes, whole = depth / lanes * lanes;
  for (int p = 0; p < whole; p += lanes)
    for (int i = 0; i < whole_rows; i += lanes)
      transpose_square(from + p * stride + i, stride, to + i * copy_stride + p, copy_stride);
  for (int i = 0; i < rows; ++i)
    for (int p = i < whole_rows ? whole : 0; p < depth; ++p)
      to[i * copy_stride + p] = from[p * stride + i];
}

// A's rows in groups that are small enough to be copied if necessary.
struct RowGroups {
  const Matrix& a;
  bool copied = must_be_copied(a);
  int count = copied ? (a.rows + copied_rows - 1) / copied_rows : 1;

  int first(int i) const { return border(a.rows, count, i); }
  int size(int i) const { return first(i + 1) - first(i); }
  // Where the tiles read group i of the columns [p0, p0 + depth): in place, or copied.
  Matrix group(int i, int p0, int depth) const {
    const Matrix part = a.rows_from(first(i), size(i)).columns_from(p0, depth);
    if (!copied) return part;
    copy_rows(part, copied_a());
    return {copied_a(), part.rows, part.columns, copy_stride};
  }
};

// A part of the product, some rows of A times some columns of B: c = a b, plus what `start` names.
struct Block {
  Matrix a;
  const float* b;
  std::ptrdiff_t b_stride;  // 0: in panels
  Result c;
  Start start;
  const float* bias;
  const float* next = nullptr;  // the panel after this block's, if it should be prefetched
};

// The initial value of the sums in part d of the depth.
Start start_of(const Epilogue& epilogue, int d) {
  return epilogue.sum || d > 0 ? Start::sum : epilogue.bias ? Start::bias : Start::zero;
}

// While the first two tiles of the current panel (or its only one) are computed, prefetches the
// next panel of B, one prefetch per step p.
void prefetch_next(const Block& x, int block, int blocks, TileOperands& o) {
  if (!x.next || block > 1) return;
  o.next_step = blocks == 1 ? panel : panel / 2;
  o.next = x.next + std::ptrdiff_t(block) * o.depth * o.next_step;
}

void multiply(const Block& x) {
  const int rows = x.c.rows, columns = x.c.columns, depth = x.a.columns;
  const int blocks = (rows + tile_rows - 1) / tile_rows;
  for (int block = 0; block < blocks; ++block) {
    const int i0 = border(rows, blocks, block), i1 = border(rows, blocks, block + 1);
    const int next_rows = block + 1 < blocks ? border(rows, blocks, block + 2) - i1 : 0;
    for (int j = 0; j < columns; j += panel) {
      const int here = std::min(panel, columns - j);
      if (!x.a.transposed && !x.next)  // a part of the next block during each panel
        prefetch_rows(x.a, i1 + border(next_rows, columns, j),
                      i1 + border(next_rows, columns, j + here));
      TileOperands operands{.depth = depth,
                            .a = x.a.at(i0, 0),
                            .a_stride = x.a.stride,
                            .b = x.b + (x.b_stride > 0 ? j : std::ptrdiff_t(j) * depth),
                            .b_stride = x.b_stride > 0 ? x.b_stride : panel_width(here),
                            .c = x.c.row(i0) + j,
                            .c_stride = x.c.stride,
                            .start = x.start,
                            .bias = x.bias ? x.bias + j : nullptr};
      prefetch_next(x, block, blocks, operands);
      const Tile compute = tile_of(i1 - i0, here, x.a.transposed, operands.next_step > 0);
      if (here == panel_width(here))
        compute(operands);
      else
        partial_tile(compute, operands, i1 - i0, here);
    }
  }
}

}  // namespace

template <>
void panel_gemm(Cpu, const Matrix& a, const Matrix& b, const Result& c, const Epilogue& epilogue) {
  const RowGroups rows{a};
  const Depths depths{a.columns};
  for (int d = 0; d < depths.count; ++d) {
    const int p0 = depths.first(d), depth = depths.size(d), at_once = max_columns(depth);
    for (int j0 = 0; j0 < c.columns; j0 += at_once) {
      const int columns = std::min(at_once, c.columns - j0);
      const Matrix part = b.rows_from(p0, depth).columns_from(j0, columns);
      const bool in_place = !b.transposed && columns % lanes == 0 && is_small(depth, columns);
      if (!in_place) fill_panels(part, panels_of_b());
      for (int i = 0; i < rows.count; ++i)
        multiply({.a = rows.group(i, p0, depth),
                  .b = in_place ? part.data : panels_of_b(),
                  .b_stride = in_place ? b.stride : 0,
                  .c = c.rows_from(rows.first(i), rows.size(i)).columns_from(j0, columns),
                  .start = start_of(epilogue, d),
                  .bias = epilogue.columns_from(j0).bias});
    }
  }
}

template <>
void panel_gemm(Cpu, const Matrix& a, const PanelMatrix& b, const Result& c,
                const Epilogue& epilogue, int first, int last) {
  const RowGroups rows{a};
  const bool few = a.rows <= copied_rows;
  const Depths depths{b.rows()};
  for (int d = 0; d < depths.count; ++d) {
    const int p0 = depths.first(d), depth = depths.size(d);
    const float* panels = b.from(p0);
    const int at_once = few ? panel : max_columns(depth);
    for (int i = 0; i < rows.count; ++i) {
      const Matrix a_part = rows.group(i, p0, depth);
      const Result c_rows = c.rows_from(rows.first(i), rows.size(i));
      for (int j0 = first; j0 < last; j0 += at_once)
        multiply({.a = a_part,
                  .b = panels + std::ptrdiff_t(j0) * depth,
                  .b_stride = 0,
                  .c = c_rows.columns_from(j0, std::min(at_once, last - j0)),
                  .start = start_of(epilogue, d),
                  .bias = epilogue.columns_from(j0).bias,
                  .next = few ? panels + std::ptrdiff_t(j0 + panel) * depth : nullptr});
    }
  }
}

}  // namespace xf::kernel
