#include "ops/matmul/panel_order.hpp"

#include <algorithm>

namespace xf::kernel {

namespace {

constexpr int chunk = 8;  // rows copied together, so that whole cache lines are read

// For a B that is not transposed.
void fill_as_it_lies(const Matrix& b, float* to) {
  const int depth = b.rows, columns = b.columns;
  const std::ptrdiff_t stride = b.stride;
  const float* from = b.data;
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

// The same for a transposed B, a square of vectors at a time.
void fill_transposed(const Matrix& b, float* to) {
  const int depth = b.rows, columns = b.columns;
  const std::ptrdiff_t stride = b.stride;
  const float* from = b.data;
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

}  // namespace

void fill_panels(const Matrix& b, float* to) {
  b.transposed ? fill_transposed(b, to) : fill_as_it_lies(b, to);
}

PanelMatrix::PanelMatrix(const Matrix& b)
    : rows_(b.rows),
      columns_(b.columns),
      filled_(columns_ / panel * panel +
              (columns_ % panel == 0 ? 0 : panel_width(columns_ % panel))),
      panels_(Tensor::empty({rows_, filled_}, Device::cpu)) {
  const Depths depths{rows_};
  for (int d = 0; d < depths.count; ++d)
    fill_panels(b.rows_from(depths.first(d), depths.size(d)),
                panels_.data(Cpu{}) + std::ptrdiff_t(filled_) * depths.first(d));
}

}  // namespace xf::kernel
