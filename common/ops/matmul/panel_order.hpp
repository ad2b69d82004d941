#pragma once

#include "ops/matmul/gemm.hpp"
#include "ops/matmul/tile.hpp"
#include "tensor/tensor.hpp"

namespace xf::kernel {

// The order in which products read B: panels of two vectors, which hold B[p, j ... j + panel) for
// consecutive p.

constexpr int max_depth = 512;  // rows of B in a part of the depth: few enough that a tile's
                                // rows of A fit in the first-level cache

// The beginning of block i of `count` blocks of nearly equal size; this avoids a small remainder.
inline int border(int size, int count, int i) { return int(long(size) * i / count); }

// The depth of a product (k), divided into parts.
struct Depths {
  int k, count = (k + max_depth - 1) / max_depth;

  int first(int i) const { return border(k, count, i); }
  int size(int i) const { return first(i + 1) - first(i); }
};

// The last panel of a block is one vector wide when that is enough.
inline int panel_width(int columns) { return columns <= lanes ? lanes : panel; }

// Copies B into panels; zeros follow the last column.
void fill_panels(const Matrix& b, float* to);

// B copied into panels once, for many products.
class PanelMatrix {
 public:
  static constexpr int step = 32;  // a multiple of the panel width on every processor
  static_assert(step % panel == 0);

  explicit PanelMatrix(const Matrix& b);
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  // The panels of the part of the depth that begins with row p0.
  const float* from(int p0) const { return panels_.data(Cpu{}) + std::ptrdiff_t(filled_) * p0; }

 private:
  int rows_, columns_, filled_;  // filled_: columns, padded with zeros to whole vectors
  Tensor panels_;
};

}  // namespace xf::kernel
