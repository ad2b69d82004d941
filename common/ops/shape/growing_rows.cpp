#include "ops/shape/growing_rows.hpp"

#include <algorithm>
#include <utility>

#include "autograd/tape.hpp"
#include "ops/check.hpp"
#include "ops/shape/kernels.hpp"
#include "tensor/kernels.hpp"

namespace xf {

namespace {

constexpr int first_room = 16;  // rows

// Copies the first `count` elements of `from` into `to`, from element `first` on.
void put(const Tensor& from, std::ptrdiff_t count, Tensor& to, std::ptrdiff_t first) {
  dispatch(to.device(),
           [&](auto on) { kernel::copy(on, from.data(on), to.data(on) + first, count); });
}

}  // namespace

GrowingRows::GrowingRows(const Tensor& rows)
    : buffer_(rows.view({rows.shape().rows(), rows.size(-1)})), count_(rows.shape().rows()) {}

void GrowingRows::append(const Tensor& rows) {
  const int added = rows.shape().rows(), columns = rows.size(-1);
  require(!buffer_.defined() || columns == width(), "append", [&] {
    return "rows of " + std::to_string(width()) + " numbers wanted, not " + rows.shape().str();
  });
  const Device device = common_device("append", buffer_, rows);
  const bool full = !buffer_.defined() || count_ + added > buffer_.size(0);
  if (full || !buffer_.sole_owner()) {  // never write into a buffer that has other owners
    const int needed = count_ + added, room = count_ > 0 ? 2 * needed : needed + needed / 8;
    Tensor larger = Tensor::empty({std::max(room, first_room), columns}, device);
    if (count_ > 0) put(buffer_, shape().count(), larger, 0);
    buffer_ = larger;
  }
  put(rows, rows.count(), buffer_, static_cast<std::ptrdiff_t>(count_) * columns);
  count_ += added;
  if (tape_observer)
    report(Op{"append", "the new rows, below those that were kept"}, kernel::copy_rows(*this),
           {&rows});
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
  Tensor kept = buffer_.sole_owner() ? buffer_ : Tensor::empty(buffer_.shape(), buffer_.device());
  dispatch(kept.device(), [&](auto on) {
    kernel::move_up(on, std::as_const(buffer_).data(on), rows, kept.data(on), width());
  });
  buffer_ = kept;
  count_ = static_cast<int>(rows.size());
  if (tape_observer)
    report(Op{"keep", "the rows that somebody still looks at"}, kernel::copy_rows(*this), {});
}

Tensor GrowingRows::rows() const { return kernel::copy_rows(*this).view({1, count_, width()}); }

Tensor kernel::copy_rows(const GrowingRows& rows) {
  Tensor copy = Tensor::empty(rows.shape(), rows.device());
  dispatch(copy.device(),
           [&](auto on) { kernel::copy(on, rows.data(on), copy.data(on), copy.count()); });
  return copy;
}

}  // namespace xf
