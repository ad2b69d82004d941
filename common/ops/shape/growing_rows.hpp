#pragma once

#include <span>

#include "tensor/tensor.hpp"

namespace xf {

// A matrix (N, D) to which rows are appended. The first rows, which may be a whole prompt, get an
// eighth more capacity than they need; it doubles when it is full. So appending N rows one by one
// copies fewer than 2 N.
class GrowingRows {
 public:
  GrowingRows() = default;
  // Begins with the rows of `rows`: (..., D), which are not copied.
  explicit GrowingRows(const Tensor& rows);

  // Empty, with capacity for this many rows.
  GrowingRows(int room, int columns, Device device = default_device())
      : buffer_(Tensor::empty({room, columns}, device)) {}

  // Appends the rows of `rows`: (..., D).
  // Throws std::invalid_argument when D is not that of the rows before.
  void append(const Tensor& rows);
  // Keeps these rows, in ascending order, and drops the others; the capacity stays.
  // Throws std::invalid_argument for a row that does not exist.
  void keep(std::span<const int> rows);

  // A copy of all rows: (1, N, D).
  Tensor rows() const;

  Shape shape() const { return {count_, width()}; }
  int count() const { return count_; }
  int room() const { return buffer_.defined() ? buffer_.size(0) : 0; }
  int width() const { return buffer_.defined() ? buffer_.size(1) : 0; }
  bool defined() const { return buffer_.defined(); }
  Device device() const { return buffer_.device(); }
  // For kernels, like Tensor::data().
  template <class On>
  const float* data(On on) const {
    return buffer_.data(on);
  }

 private:
  Tensor buffer_;  // (room, D)
  int count_ = 0;
};

}  // namespace xf
