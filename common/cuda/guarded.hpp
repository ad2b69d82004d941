#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "cuda/sanitizers.hpp"

namespace xf::emulator {

constexpr std::size_t margin = 64;  // after a block; filled with a known value
constexpr unsigned char untouched = 0xa5;

// Is the margin that begins here still intact?
__attribute__((no_sanitize("address"))) inline bool is_untouched(const unsigned char* first) {
  for (std::size_t i = 0; i < margin; ++i)
    if (first[i] != untouched) return false;
  return true;
}

// Host memory followed by a margin, which AddressSanitizer guards. It is aligned to 32 bytes, as
// dynamic_shared() promises, and deliberately to no more.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes)
      : bytes_(bytes), memory_(std::make_unique<unsigned char[]>(bytes + margin + 2 * alignment)) {
    std::memset(end(), untouched, margin);
    sanitizers::forbid(end(), margin);
  }
  ~Guarded() { sanitizers::allow(end(), margin); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  unsigned char* get() const {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.get());
    return memory_.get() + (2 * alignment - begin % (2 * alignment) + alignment) % (2 * alignment);
  }
  std::size_t bytes() const { return bytes_; }
  bool is_whole() const { return is_untouched(end()); }

 private:
  static constexpr std::size_t alignment = 32;

  unsigned char* end() const { return get() + bytes_; }

  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> memory_;
};

}  // namespace xf::emulator
