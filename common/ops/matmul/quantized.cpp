#include "ops/matmul/quantized.hpp"

#include <algorithm>
#include <cstring>

#include "ops/matmul/byte_blocks.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

std::ptrdiff_t panel_bytes(int rows, bool four_bits) {
  return std::ptrdiff_t(blocks_of(rows)) * (four_bits ? block_bytes<true> : block_bytes<false>);
}

// Column j of B in blocks of integers: those of the file, or its quantized numbers.
class ColumnBlocks {
 public:
  ColumnBlocks(const Matrix& b, int j) : rows_(b.rows), inside_(j < b.columns) {
    if (!inside_) return;
    if (const StoredFormat* format = b.stored.format) {
      stored_ = b.stored.from(j);
      if (format->bits > 0) return;
      numbers_.resize(static_cast<std::size_t>(rows_));
      stored_.read(1, numbers_.data());
    } else {
      numbers_.resize(static_cast<std::size_t>(rows_));
      for (int i = 0; i < rows_; ++i) numbers_[static_cast<std::size_t>(i)] = *b.at(i, j);
    }
  }

  // The block of numbers p ... p + 32, with zeros beyond the last row.
  WholeBlock at(int p) const {
    WholeBlock block = {};
    if (!inside_) return block;
    if (numbers_.empty()) {
      const StoredFormat& format = *stored_.format;
      format.read_whole(
          stored_.first + p / format.block * static_cast<std::ptrdiff_t>(format.bytes),
          p % format.block / WholeBlock::size, block);
    } else {
      block.step =
          quantize_block(numbers_.data() + p, std::min(WholeBlock::size, rows_ - p), block.q);
    }
    return block;
  }

 private:
  int rows_;
  bool inside_;
  StoredRows stored_;
  std::vector<float> numbers_;
};

// Stores a block in the layout of a panel, as its column `lane`.
void put(const WholeBlock& block, bool four_bits, int lane, std::uint8_t* to) {
  const int half = WholeBlock::size / 2, per_word = four_bits ? half : WholeBlock::size;
  for (int i = 0; i < per_word; ++i) {
    std::uint8_t& byte = to[(i / together * panel + lane) * together + i % together];
    byte = static_cast<std::uint8_t>(four_bits ? block.q[i] | block.q[i + half] << 4
                                               : block.q[i] + raised);
  }
  to += four_bits ? number_bytes<true> : number_bytes<false>;
  std::memcpy(to + lane * sizeof block.step, &block.step, sizeof block.step);
  if (four_bits)
    std::memcpy(to + (panel + lane) * sizeof block.least, &block.least, sizeof block.least);
}

}  // namespace

QuantizedMatrix::QuantizedMatrix(const Matrix& b)
    : rows_(b.rows),
      columns_(b.columns),
      four_bits_(b.stored.format && b.stored.format->bits == 4) {
  const int panels = (columns_ + panel - 1) / panel;
  const auto line = std::ptrdiff_t{sizeof(CacheLine)}, bytes = panel_bytes(rows_, four_bits_);
  const std::ptrdiff_t step = bytes / std::max(1, blocks_of(rows_));
  panels_.resize(static_cast<std::size_t>((panels * bytes + line - 1) / line));
  parallel_for(panels, 1, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (auto j = static_cast<int>(first) * panel; j < last * panel; ++j) {
      std::uint8_t* to = panels_.front().x + j / panel * bytes;
      const ColumnBlocks column(b, j);
      for (int p = 0; p < rows_; p += block, to += step)
        put(column.at(p), four_bits_, j % panel, to);
    }
  });
}

const std::uint8_t* QuantizedMatrix::panel_at(int j) const {
  return panels_.front().x + j / panel * panel_bytes(rows_, four_bits_);
}

float quantize_block(const float* x, int count, std::int8_t (&q)[QuantizedMatrix::block]) {
  RowBlock one;
  quantize_row(x, count, &one);
  std::copy_n(one.numbers, QuantizedMatrix::block, q);
  return one.step;
}

}  // namespace xf::kernel
