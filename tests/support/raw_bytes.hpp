#pragma once

#include <cstdint>
#include <string>

namespace xf::test {

// A number as files have it, the low byte first.
inline std::string raw(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255);
  return text;
}

// With its length before it, as a GGUF's texts and the header of safetensors have it.
inline std::string counted(const std::string& text) { return raw(text.size(), 8) + text; }

}  // namespace xf::test
