#include "ops/matmul/quantized.hpp"

#include <algorithm>
#include <cmath>

#include "ops/matmul/byte_products.hpp"
#include "ops/matmul/tile.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

std::size_t words_of(int numbers) {
  return static_cast<std::size_t>((numbers + together - 1) / together);
}

}  // namespace

QuantizedMatrix::QuantizedMatrix(const Matrix& b) : rows_(b.rows), columns_(b.columns) {
  const auto filled = static_cast<std::size_t>((columns_ + panel - 1) / panel * panel);
  steps_.resize(filled);
  panels_.assign(filled * words_of(rows_) * together, raised);
  const auto quantize = [&](int j) {
    float most = 0;
    for (int p = 0; p < rows_; ++p) most = std::max(most, std::abs(*b.at(p, j)));
    const float per_step = most > 0 ? 127 / most : 0;
    steps_[static_cast<std::size_t>(j)] = most / 127;
    std::uint8_t* bytes =
        panels_.data() + std::ptrdiff_t(j / panel) * panel * words_of(rows_) * together;
    for (int p = 0; p < rows_; ++p) {
      const auto q = static_cast<int>(std::nearbyint(*b.at(p, j) * per_step));
      bytes[(p / together * panel + j % panel) * together + p % together] =
          static_cast<std::uint8_t>(q + raised);
    }
  };
  parallel_for(columns_, panel, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t j = first; j < last; ++j) quantize(static_cast<int>(j));
  });
}

const std::uint8_t* QuantizedMatrix::panel_at(int j) const {
  return panels_.data() + std::ptrdiff_t(j) * words_of(rows_) * together;
}

}  // namespace xf::kernel
