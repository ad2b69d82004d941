#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "cuda/sanitizers.hpp"

namespace xf::emulator {

// Memory with a margin behind it that must stay as it is; AddressSanitizer sees reads of it, too.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes)
      : bytes_(bytes), memory_(std::make_unique<unsigned char[]>(bytes + margin)) {
    std::fill_n(get() + bytes, margin, untouched);
    sanitizers::forbid(get() + bytes, margin);
  }
  ~Guarded() { sanitizers::allow(get() + bytes_, margin); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  unsigned char* get() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }

  __attribute__((no_sanitize("address"))) bool is_whole() const {
    for (std::size_t i = bytes_; i < bytes_ + margin; ++i)
      if (memory_.get()[i] != untouched) return false;
    return true;
  }

 private:
  static constexpr std::size_t margin = 64;
  static constexpr unsigned char untouched = 0xa5;
  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> memory_;
};

}  // namespace xf::emulator
