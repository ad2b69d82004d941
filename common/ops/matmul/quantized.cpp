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

// Numbers p ... p + 32 of column j, or what there is of them, and zeros.
WholeBlock block_at(const Matrix& b, int p, int j) {
  WholeBlock block = {};
  if (j >= b.columns) return block;
  const int count = std::min(WholeBlock::size, b.rows - p);
  float x[WholeBlock::size];
  if (const StoredFormat* format = b.stored.format) {
    const StoredRows row = b.stored.from(j);
    const char* const from = row.first + p / format->block * std::ptrdiff_t(format->bytes);
    if (format->read_whole) {
      format->read_whole(from, block);
      return block;
    }
    format->read(from, count, x);
  } else {
    for (int i = 0; i < count; ++i) x[i] = *b.at(p + i, j);
  }
  block.step = quantize_block(x, count, block.q);
  return block;
}

// The same as a panel has it, as the column `lane` of a block.
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
      for (int p = 0; p < rows_; p += block, to += step)
        put(block_at(b, p, j), four_bits_, j % panel, to);
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
