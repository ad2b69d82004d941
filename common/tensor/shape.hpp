#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>

namespace xf {

// The sizes of a tensor's axes, outermost first; at most 5 axes. Negative axes count from the
// end, so `shape[-1]` is the innermost (the contiguous) one.
class Shape {
 public:
  static constexpr int max_rank = 5;

  Shape() = default;
  Shape(std::initializer_list<int> sizes) {
    if (sizes.size() > max_rank) throw std::invalid_argument("shape: more than 5 axes");
    for (int size : sizes) append(size);
  }

  int rank() const { return rank_; }
  int operator[](int axis) const { return sizes_[static_cast<std::size_t>(checked(axis))]; }
  // Throws std::invalid_argument when `size` is negative.
  void append(int size) {
    if (size < 0) throw std::invalid_argument("shape: negative size " + std::to_string(size));
    if (rank_ == max_rank) throw std::invalid_argument("shape: more than 5 axes");
    sizes_[static_cast<std::size_t>(rank_++)] = size;
  }
  void set(int axis, int size) { sizes_[static_cast<std::size_t>(checked(axis))] = size; }
  // The product of all sizes: 1 for a scalar.
  std::ptrdiff_t count() const { return count(0, rank_); }
  // The product of the sizes of axes [first, last).
  std::ptrdiff_t count(int first, int last) const {
    std::ptrdiff_t product = 1;
    for (int axis = first; axis < last; ++axis) product *= sizes_[static_cast<std::size_t>(axis)];
    return product;
  }
  // How many rows of length shape[-1] there are. Throws std::invalid_argument when that exceeds an
  // int.
  int rows() const {
    const std::ptrdiff_t rows = rank_ == 0 ? 1 : count(0, rank_ - 1);
    if (rows > std::numeric_limits<int>::max())
      throw std::invalid_argument("shape: too many rows: " + str());
    return static_cast<int>(rows);
  }

  bool operator==(const Shape& other) const = default;
  // "(2, 3)", as in every message.
  std::string str() const;

 private:
  int checked(int axis) const {
    const int index = axis < 0 ? axis + rank_ : axis;
    if (index < 0 || index >= rank_) no_axis(axis);
    return index;
  }
  [[noreturn]] void no_axis(int axis) const;

  std::array<int, max_rank> sizes_{};
  int rank_ = 0;
};

}  // namespace xf
