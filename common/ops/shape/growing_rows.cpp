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

}  // namespace xf
