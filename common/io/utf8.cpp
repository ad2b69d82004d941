#include "io/utf8.hpp"

#include <algorithm>
#include <cstdint>

#include "tensor/error.hpp"

namespace xf {

namespace {

constexpr char32_t replacement = 0xFFFD;

// The smallest value that needs 1, 2, 3, 4 bytes.
constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

}  // namespace

std::size_t character_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // a continuation byte, or the start of an overlong form
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<std::uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = character_length(lead);
  if (bytes == 0 || bytes > text.size()) return {replacement, 1};
  char32_t value = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<std::uint8_t>(text[i]);
    if ((next & 0xC0) != 0x80) return {replacement, 1};
    value = (value << 6) | (next & 0x3Fu);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[bytes] || value > 0x10FFFF || surrogate) return {replacement, 1};
  return {value, bytes};
}

bool valid_utf8(std::string_view text, std::size_t* bad) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    if (point.value == replacement && point.bytes == 1) {
      if (bad) *bad = at;
      return false;
    }
    at += point.bytes;
  }
  return true;
}

void check_utf8(std::string_view text, const std::string& name) {
  std::size_t bad = 0;
  if (!valid_utf8(text, &bad))
    throw UserError("{}: {}", name, words("invalid UTF-8 at byte {}", bad + 1));
}

std::vector<std::string> code_points(std::string_view text) {
  std::vector<std::string> points;
  for_each_character(text, [&](char32_t, std::string_view bytes) { points.emplace_back(bytes); });
  return points;
}

void append_code_point(std::string& text, char32_t value) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((value >> shift) & 0x3F)); };
  if (value < 0x80) {
    text += static_cast<char>(value);
  } else if (value < 0x800) {
    text += static_cast<char>(0xC0 | (value >> 6));
    tail(0);
  } else if (value < 0x10000) {
    text += static_cast<char>(0xE0 | (value >> 12));
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | (value >> 18));
    tail(12), tail(6), tail(0);
  }
}

bool in_ranges(std::span<const CharacterRange> ranges, char32_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const CharacterRange& range) {
    return value >= range.first && value <= range.second;
  });
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && !ascii_space(line[end])) ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at; (at = text.find(from)) != std::string_view::npos;) {
    result.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return result.append(text);
}

}  // namespace xf
