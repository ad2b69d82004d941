#include "ops/shape/growing_rows.hpp"

#include <algorithm>

#include "ops/check.hpp"

namespace xf {

namespace {

constexpr int first_room = 16;  // rows

}  // namespace

GrowingRows::GrowingRows(const Tensor& rows)
    : buffer_(rows.view({rows.shape().rows(), rows.size(-1)})), count_(rows.shape().rows()) {}

void GrowingRows::append(const Tensor& rows) {
  const int added = rows.shape().rows(), columns = rows.size(-1);
  require(!buffer_.defined() || columns == width(), "append", [&] {
    return "rows of " + std::to_string(width()) + " numbers wanted, not " + rows.shape().str();
  });
  const bool full = !buffer_.defined() || count_ + added > buffer_.size(0);
  if (full || !buffer_.sole_owner()) {  // never write into numbers that somebody else holds
    Tensor larger = Tensor::empty({std::max(2 * (count_ + added), first_room), columns});
    if (buffer_.defined()) std::copy_n(buffer_.data(), shape().count(), larger.data());
    buffer_ = larger;
  }
  std::copy_n(rows.data(), rows.count(),
              buffer_.data() + static_cast<std::ptrdiff_t>(count_) * columns);
  count_ += added;
}

void GrowingRows::keep(std::span<const int> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    require(rows[i] > (i == 0 ? -1 : rows[i - 1]) && rows[i] < count_, "keep", [&] {
      return "rising rows of " + shape().str() + " wanted, not " + std::to_string(rows[i]);
    });
  if (rows.empty()) {
    count_ = 0;
    return;
  }
  Tensor kept = buffer_.sole_owner() ? buffer_ : Tensor::empty(buffer_.shape());
  const std::ptrdiff_t columns = width();
  float* to = kept.data();  // a row moves to the front, or stays
  for (int row : rows) to = std::copy_n(buffer_.data() + row * columns, columns, to);
  buffer_ = kept;
  count_ = static_cast<int>(rows.size());
}

}  // namespace xf
