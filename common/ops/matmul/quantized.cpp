#include "ops/matmul/quantized.hpp"

#include <algorithm>
#include <cstring>

#include "ops/matmul/byte_blocks.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

std::ptrdiff_t panel_bytes(int rows) { return std::ptrdiff_t(blocks_of(rows)) * block_bytes; }

}  // namespace

QuantizedMatrix::QuantizedMatrix(const Matrix& b) : rows_(b.rows), columns_(b.columns) {
  const int panels = (columns_ + panel - 1) / panel;
  const auto line = std::ptrdiff_t{sizeof(CacheLine)};
  panels_.resize(static_cast<std::size_t>((panels * panel_bytes(rows_) + line - 1) / line));
  const auto quantize = [&](int j) {
    std::uint8_t* to = panels_.front().x + j / panel * panel_bytes(rows_);
    const int lane = j % panel;
    for (int p = 0; p < rows_; p += block, to += block_bytes) {
      float x[block];
      const int count = std::min(block, rows_ - p);
      for (int i = 0; i < count; ++i) x[i] = j < columns_ ? *b.at(p + i, j) : 0;
      std::int8_t q[block];
      const float step = quantize_block(x, count, q);
      for (int i = 0; i < block; ++i)
        to[(i / together * panel + lane) * together + i % together] =
            static_cast<std::uint8_t>(q[i] + raised);
      std::memcpy(to + number_bytes + lane * sizeof step, &step, sizeof step);
    }
  };
  parallel_for(panels, 1, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t j = first * panel; j < last * panel; ++j) quantize(static_cast<int>(j));
  });
}

const std::uint8_t* QuantizedMatrix::panel_at(int j) const {
  return panels_.front().x + j / panel * panel_bytes(rows_);
}

float quantize_block(const float* x, int count, std::int8_t (&q)[QuantizedMatrix::block]) {
  RowBlock one;
  quantize_row(x, count, &one);
  std::copy_n(one.numbers, QuantizedMatrix::block, q);
  return one.step;
}

}  // namespace xf::kernel
