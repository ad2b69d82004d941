#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xf {

// Identifies a text: its size, and a hash of its bytes (FNV-1a, 64 bits:
// h = (h xor byte) * prime). No protection against forgery.
class Fingerprint {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes)
      hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3ull;
    bytes_ += bytes.size();
  }

  // "120 bytes, hash 85944171f73967e8"
  std::string str() const {
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash_ >> shift & 15];
    return std::to_string(bytes_) + " bytes, hash " + digits;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull, bytes_ = 0;
};

}  // namespace xf
