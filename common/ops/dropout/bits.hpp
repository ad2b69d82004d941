#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace xf::kernel {

// A 32-bit mixing function with few multiplications (Wellons' lowbias32), which vectorises.
constexpr std::uint32_t hash(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// Each 32-bit hash decides on two elements, half a block apart, with 16 bits for each.
constexpr int dropout_half = 512, dropout_block = 2 * dropout_half;

// A mask: the rate, rounded to a multiple of 2^-16, the factor of kept elements, and the key.
struct DropoutMask {
  std::uint32_t threshold, low, salt;
  float kept;

  DropoutMask(float p, std::uint64_t key)
      : threshold(static_cast<std::uint32_t>(double(p) * 65536.0 + 0.5)),
        low(static_cast<std::uint32_t>(key)),
        salt(static_cast<std::uint32_t>(key >> 32)),
        kept(65536.0f / static_cast<float>(65536u - (threshold < 65535u ? threshold : 65535u))) {}

  // The factor that element i is multiplied by.
  constexpr float factor(std::ptrdiff_t i) const {
    return factor(static_cast<std::uint64_t>(i), low, salt);
  }
  // The same with another key. A 32-bit element index is faster on a GPU.
  template <class Number>
  constexpr float factor(Number i, std::uint64_t key) const {
    return factor(static_cast<std::make_unsigned_t<Number>>(i), static_cast<std::uint32_t>(key),
                  static_cast<std::uint32_t>(key >> 32));
  }

 private:
  template <class Unsigned>  // unsigned, so that division is a shift
  constexpr float factor(Unsigned i, std::uint32_t from, std::uint32_t with) const {
    const auto block = static_cast<std::uint32_t>(i / dropout_block);
    const auto at = static_cast<std::uint32_t>(i % dropout_block);
    const std::uint32_t bits = hash((from + block * dropout_half + at % dropout_half) ^ with);
    const std::uint32_t own = at < dropout_half ? bits & 0xffffu : bits >> 16;
    return own < threshold ? 0.0f : kept;
  }
};

}  // namespace xf::kernel
