#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace xf {

// Is `text` well-formed UTF-8 (RFC 3629: no overlong form, no surrogate, at most U+10FFFF)?
// If not and `bad` is given, *bad is the offset of the first byte that starts no character.
bool valid_utf8(std::string_view text, std::size_t* bad = nullptr);
// Throws UserError, "name: invalid UTF-8 at byte 7", unless `text` is valid UTF-8.
void check_utf8(std::string_view text, const std::string& name);

// The length in bytes of a character that starts with `lead`; 0: no character does.
std::size_t character_length(unsigned char lead);

// The character at the front of `text` and its length in bytes. A byte that starts no well-formed
// character counts as one character of its own, U+FFFD. `text` must not be empty.
struct CodePoint {
  char32_t value;
  std::size_t bytes;
};
CodePoint first_code_point(std::string_view text);

// Calls each(character, its bytes) along the text; the bytes are views into it.
template <class Each>
void for_each_character(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    each(point.value, text.substr(0, point.bytes));
    text.remove_prefix(point.bytes);
  }
}

// "a你" -> {"a", "你"}; joined again they give `text`, even when it is invalid.
std::vector<std::string> code_points(std::string_view text);

void append_code_point(std::string& text, char32_t value);

// Whether a character is in one of the ranges, each from its first to its last character.
using CharacterRange = std::pair<char32_t, char32_t>;
bool in_ranges(std::span<const CharacterRange> ranges, char32_t value);

// A space, or one of the ASCII control characters \t \n \v \f \r.
constexpr bool ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The non-empty runs between ASCII spaces, as views into `line`.
std::vector<std::string_view> split_words(std::string_view line);

// Joins the parts, texts or integers, with `between` as the separator.
template <class Parts>
std::string joined(const Parts& parts, std::string_view between) {
  std::string text;
  bool first = true;
  for (const auto& part : parts) {
    if (!std::exchange(first, false)) text += between;
    if constexpr (std::integral<std::decay_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  }
  return text;
}

// `text` with every `from` replaced, from left to right, by `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

}  // namespace xf
