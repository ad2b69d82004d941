#include "ops/matmul/packed.hpp"

#include <algorithm>
#include <vector>

#include "ops/matmul/tile.hpp"

namespace xf::kernel {

static_assert(PackedMatrix::step % panel == 0);

namespace {

constexpr int most_depth = 512;                    // rows of A that long fit the first-level cache
constexpr std::ptrdiff_t packed_b_size = 1 << 18;  // floats: half of the second-level cache
constexpr int copied_rows = 272;                   // of A at a time
constexpr int copy_stride = most_depth + 16;       // no multiple of the cache's period
constexpr int chunk = 8;  // rows copied together, so that whole lines are read

struct alignas(64) CacheLine {
  float x[16];
};

// Memory of this thread, kept from call to call.
float* copied_a() {
  thread_local std::vector<CacheLine> lines(copied_rows * copy_stride / 16);
  return lines.front().x;
}
float* packed_b() {
  thread_local std::vector<CacheLine> lines(packed_b_size / 16);
  return lines.front().x;
}

// Block i of `count` blocks of nearly equal size begins here: so that no block is a small rest.
int border(int size, int count, int i) { return int(long(size) * i / count); }

// The sums over p in parts, so that the rows of A in use stay in the first-level cache.
struct Depths {
  int k, count = (k + most_depth - 1) / most_depth;

  int first(int i) const { return border(k, count, i); }
  int size(int i) const { return first(i + 1) - first(i); }
};
int most_columns(int depth) { return int(packed_b_size / depth) / panel * panel; }

const float* element(const Matrix& x, int i, int j) {
  return x.data +
         (x.transposed ? std::ptrdiff_t(j) * x.stride + i : std::ptrdiff_t(i) * x.stride + j);
}

// The last panel of a block is one vector wide when that is enough.
int panel_width(int columns) { return columns <= lanes ? lanes : panel; }

// Panel j holds B[p, j ... j + panel) for one p after the other; zeros after the last column.
void pack(const Matrix& b, const float* from, int depth, int columns, float* to) {
  const std::ptrdiff_t stride = b.stride;
  for (int p = 0; p < depth; p += chunk)
    for (int j = 0; j < columns; j += panel) {
      const int here = std::min(panel, columns - j), width = panel_width(here);
      float* row = to + std::ptrdiff_t(j) * depth + p * width;
      for (int q = p; q < std::min(depth, p + chunk); ++q, row += width)
        if (here == panel) {
          std::copy_n(from + q * stride + j, panel, row);
        } else {
          std::copy_n(from + q * stride + j, here, row);
          std::fill(row + here, row + width, 0.0f);
        }
    }
}

// The same of a transposed B, a square of vectors at a time.
void pack_transposed(const Matrix& b, const float* from, int depth, int columns, float* to) {
  const std::ptrdiff_t stride = b.stride;
  const int whole = depth / lanes * lanes;
  for (int j = 0; j < columns; j += lanes) {
    const int first = j / panel * panel, width = panel_width(std::min(panel, columns - first));
    float* row = to + std::ptrdiff_t(first) * depth + (j - first);
    const bool square = columns - j >= lanes;
    if (square)
      for (int p = 0; p < whole; p += lanes)
        transpose_square(from + j * stride + p, stride, row + p * width, width);
    for (int p = square ? whole : 0; p < depth; ++p)
      for (int i = j; i < j + lanes; ++i)
        row[p * width + i - j] = i < columns ? from[i * stride + p] : 0.0f;
  }
}

// A tile that ends beyond C's last column: computed aside, the columns that exist copied.
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

// Asks early for rows of A that the tiles will read where they lie.
void prefetch_rows(const Matrix& a, int first, int last, int p0, int depth) {
  for (int i = first; i < last; ++i)
    for (int p = 0; p < depth; p += 16) __builtin_prefetch(element(a, i, p0 + p));
}

// A small matrix needs no packing: its rows, wherever they lie, stay in the first-level cache.
bool is_small(int rows, int columns) { return std::ptrdiff_t(rows) * columns <= 1 << 12; }

// Rows of A that cannot be read where they lie: those of a transposed one, and those that are so
// far apart that all fall into the same few lines of the first-level cache.
bool must_be_copied(const Matrix& a, int m, int k) {
  return a.transposed ? !is_small(m, k) : a.stride % 1024 == 0 && m > tile_rows;
}

// to[i, p] = A[i, p] for `rows` rows; those of `to` are copy_stride apart.
void copy_rows(const Matrix& a, int i0, int rows, int p0, int depth, float* to) {
  const float* from = element(a, i0, p0);
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

// Where the tiles read these rows of A: where they lie, or copied aside.
Matrix rows_of(const Matrix& a, bool copied, int i0, int rows, int p0, int depth) {
  if (!copied) return {element(a, i0, p0), a.stride, a.transposed};
  copy_rows(a, i0, rows, p0, depth, copied_a());
  return {copied_a(), copy_stride};
}

// Some rows of A and C with some columns of B and C: c += a b, or what `start` says.
struct Block {
  int rows, columns, depth;
  Matrix a;
  const float* b;
  int b_stride;  // 0: packed
  float* c;
  std::ptrdiff_t c_stride;
  Start start;
  const float* bias;
  const float* next = nullptr;  // the panel after this block's, if it should be asked for
};

// Asks for the next panel of B with the first two tiles of a panel, a line with each p.
void ask_for_next(const Block& x, int block, int blocks, TileOperands& o) {
  if (!x.next || block > 1) return;
  o.next_step = blocks == 1 ? panel : panel / 2;
  o.next = x.next + std::ptrdiff_t(block) * x.depth * o.next_step;
}

void multiply(const Block& x) {
  const int blocks = (x.rows + tile_rows - 1) / tile_rows;
  for (int block = 0; block < blocks; ++block) {
    const int i0 = border(x.rows, blocks, block), i1 = border(x.rows, blocks, block + 1);
    const int next_rows = block + 1 < blocks ? border(x.rows, blocks, block + 2) - i1 : 0;
    for (int j = 0; j < x.columns; j += panel) {
      const int here = std::min(panel, x.columns - j);
      if (!x.a.transposed && !x.next)  // a part of the next block with each panel
        prefetch_rows(x.a, i1 + border(next_rows, x.columns, j),
                      i1 + border(next_rows, x.columns, j + here), 0, x.depth);
      TileOperands operands{.depth = x.depth,
                            .a = element(x.a, i0, 0),
                            .a_stride = x.a.stride,
                            .b = x.b + (x.b_stride > 0 ? j : std::ptrdiff_t(j) * x.depth),
                            .b_stride = x.b_stride > 0 ? x.b_stride : panel_width(here),
                            .c = x.c + i0 * x.c_stride + j,
                            .c_stride = x.c_stride,
                            .start = x.start,
                            .bias = x.bias ? x.bias + j : nullptr};
      ask_for_next(x, block, blocks, operands);
      const Tile compute = tile_of(i1 - i0, here, x.a.transposed, operands.next_step > 0);
      if (here == panel_width(here))
        compute(operands);
      else
        partial_tile(compute, operands, i1 - i0, here);
    }
  }
}

}  // namespace

bool is_for_packed(int m, int n, int k, const Matrix& a, const Matrix& b) {
  if (m < tile_rows || n < lanes || k < 8) return false;
  if (!b.transposed && double(m) * n * k < 1 << 14) return false;
  return !a.transposed || is_small(m, k) || n >= 128;
}

void packed_gemm(int m, int n, int k, const Matrix& a, const Matrix& b, float* c, int c_stride,
                 bool accumulate, const float* bias) {
  const bool copied = must_be_copied(a, m, k);
  const int groups = copied ? (m + copied_rows - 1) / copied_rows : 1;
  const Depths depths{k};
  for (int d = 0; d < depths.count; ++d) {
    const int p0 = depths.first(d), depth = depths.size(d);
    const Start start = accumulate || d > 0 ? Start::sum : bias ? Start::bias : Start::zero;
    const int at_once = most_columns(depth);
    for (int j0 = 0; j0 < n; j0 += at_once) {
      const int columns = std::min(at_once, n - j0);
      const float* b_part = element(b, p0, j0);
      const bool in_place = !b.transposed && columns % lanes == 0 && is_small(depth, columns);
      if (!in_place) (b.transposed ? pack_transposed : pack)(b, b_part, depth, columns, packed_b());
      for (int group = 0; group < groups; ++group) {
        const int i0 = border(m, groups, group), rows = border(m, groups, group + 1) - i0;
        multiply({.rows = rows,
                  .columns = columns,
                  .depth = depth,
                  .a = rows_of(a, copied, i0, rows, p0, depth),
                  .b = in_place ? b_part : packed_b(),
                  .b_stride = in_place ? b.stride : 0,
                  .c = c + std::ptrdiff_t(i0) * c_stride + j0,
                  .c_stride = c_stride,
                  .start = start,
                  .bias = bias ? bias + j0 : nullptr});
      }
    }
  }
}

PackedMatrix::PackedMatrix(int k, int n, const Matrix& b)
    : k_(k),
      n_(n),
      columns_(n / panel * panel + (n % panel == 0 ? 0 : panel_width(n % panel))),
      panels_(Tensor::empty({k, columns_})) {
  const Depths depths{k};
  for (int d = 0; d < depths.count; ++d) {
    const int p0 = depths.first(d);
    (b.transposed ? pack_transposed : pack)(b, element(b, p0, 0), depths.size(d), n,
                                            panels_.data() + std::ptrdiff_t(columns_) * p0);
  }
}

void PackedMatrix::multiply(int m, const Matrix& a, float* c, int c_stride, const float* bias,
                            int first, int last) const {
  const bool copied = must_be_copied(a, m, k_), few = m <= copied_rows;
  const int groups = copied ? (m + copied_rows - 1) / copied_rows : 1;
  const Depths depths{k_};
  for (int d = 0; d < depths.count; ++d) {
    const int p0 = depths.first(d), depth = depths.size(d);
    const float* b = panels_.data() + std::ptrdiff_t(columns_) * p0;
    const int at_once = few ? panel : most_columns(depth);
    for (int group = 0; group < groups; ++group) {
      const int i0 = border(m, groups, group), rows = border(m, groups, group + 1) - i0;
      const Matrix a_part = rows_of(a, copied, i0, rows, p0, depth);
      for (int j0 = first; j0 < last; j0 += at_once)
        kernel::multiply({.rows = rows,
                          .columns = std::min(at_once, last - j0),
                          .depth = depth,
                          .a = a_part,
                          .b = b + std::ptrdiff_t(j0) * depth,
                          .b_stride = 0,
                          .c = c + std::ptrdiff_t(i0) * c_stride + j0,
                          .c_stride = c_stride,
                          .start = d > 0  ? Start::sum
                                   : bias ? Start::bias
                                          : Start::zero,
                          .bias = bias ? bias + j0 : nullptr,
                          .next = few ? b + std::ptrdiff_t(j0 + panel) * depth : nullptr});
    }
  }
}

}  // namespace xf::kernel
