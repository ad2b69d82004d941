#include "io/printable.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "io/utf8.hpp"

namespace xf {

namespace {

constexpr std::size_t longest = 1000, head = 700, tail = 250, longest_quoted = 60;  // bytes

// Characters that move the cursor, or hide or reverse the text that follows.
constexpr CharacterRange invisible[] = {{0, 0x1F},        {0x7F, 0x9F},     {0xAD, 0xAD},
                                        {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                                        {0xFEFF, 0xFEFF}};

std::string escaped(std::string_view text) {
  std::string shown;
  for_each_character(text, [&](char32_t value, std::string_view bytes) {
    const auto byte = static_cast<std::uint8_t>(bytes[0]);
    if (byte == '\n')
      shown += ' ';
    else if (bytes.size() == 1 && (byte >= 0x80 || in_ranges(invisible, byte)))
      shown += formatted("\\x%02x", byte);
    else if (in_ranges(invisible, value))
      shown += formatted("\\u%04x", static_cast<unsigned>(value));
    else
      shown += bytes;
  });
  return shown;
}

// The start of the character that contains the byte at `at`.
std::size_t character_start(std::string_view text, std::size_t at) {
  for (int i = 0; i < 3 && at > 0 && (text[at] & 0xC0) == 0x80; ++i) --at;
  return at;
}

}  // namespace

std::string printable(std::string_view text) {
  if (text.size() <= longest) return escaped(text);
  const std::size_t first = character_start(text, head);
  const std::size_t last = character_start(text, text.size() - tail);
  return escaped(text.substr(0, first)) + " ... " + std::to_string(last - first) + " bytes ... " +
         escaped(text.substr(last));
}

std::string shortened(std::string_view text) {
  if (text.size() <= longest_quoted) return std::string(text);
  return std::string(text.substr(0, character_start(text, longest_quoted))) + " ... (" +
         std::to_string(text.size()) + " bytes)";
}

std::string formatted(const char* format, ...) {
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(static_cast<std::size_t>(std::max(size, 0)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return text;
}

}  // namespace xf
