#pragma once

#include <bit>
#include <cstddef>

// The size classes of reusable memory blocks, on the CPU and on the GPU.
namespace xf {

// Sizes are rounded up to an eighth of their power of two, so that batches of slightly different
// lengths reuse each other's blocks. The classes are numbered: 512 bytes, then 8 per doubling.
constexpr std::size_t min_block = 512, eighths = 8, size_classes = 1 + eighths * 48;

constexpr std::size_t class_of(std::size_t bytes) {
  if (bytes <= min_block) return 0;
  const std::size_t power = std::bit_floor(bytes - 1), step = power / eighths;
  const auto doublings = static_cast<std::size_t>(std::countr_zero(power / min_block));
  return eighths * doublings + (bytes + step - 1) / step - eighths;
}

constexpr std::size_t size_of_class(std::size_t number) {
  if (number == 0) return min_block;
  const std::size_t power = min_block << (number - 1) / eighths;
  return power + power / eighths * ((number - 1) % eighths + 1);
}

}  // namespace xf
