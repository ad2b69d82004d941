#include "text/bleu_tokens.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>

#include "io/utf8.hpp"
#include "text/unicode.hpp"

namespace xf {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool period_or_comma(char c) { return c == '.' || c == ','; }

// [{-~ [-` space-& (-+ :-@ /] of sacreBLEU's tokenizer_re.py: ASCII punctuation except ' , - .
constexpr CharacterRange split_off[] = {{'{', '~'}, {'[', '`'}, {' ', '&'},
                                        {'(', '+'}, {':', '@'}, {'/', '/'}};

// Puts a space on both sides of every character in the ranges.
std::string set_apart(std::string_view line, std::span<const CharacterRange> ranges) {
  std::string text;
  for_each_character(line, [&](char32_t value, std::string_view bytes) {
    in_ranges(ranges, value) ? text.append(" ").append(bytes).append(" ") : text.append(bytes);
  });
  return text;
}

// Replaces each pair of adjacent characters a, b for which matches(a, b) is true by: before a
// between b after. It works from left to right, without overlap.
template <class Matches>
std::string rewrite_pairs(const std::string& text, Matches matches, std::string_view before,
                          std::string_view between, std::string_view after) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !matches(text[i], text[i + 1])) {
      result += text[i];
      continue;
    }
    result.append(before).append(1, text[i]).append(between).append(1, text[i + 1]).append(after);
    ++i;
  }
  return result;
}

// The four substitutions of tokenizer_re.py, in the same order. They test for ASCII characters
// only, so it is enough to compare bytes: [^0-9] may match a single byte of a longer character, but
// then the space is inserted on the side that does not split the character.
std::string separate_punctuation(const std::string& line) {
  std::string text = set_apart(line, split_off);
  // period and comma unless preceded by a digit:   ([^0-9])([.,]) -> \1 \2
  text = rewrite_pairs(
      text, [](char a, char b) { return !digit(a) && period_or_comma(b); }, "", " ", " ");
  // period and comma unless followed by a digit:   ([.,])([^0-9]) -> \1 \2
  text = rewrite_pairs(
      text, [](char a, char b) { return period_or_comma(a) && !digit(b); }, " ", " ", "");
  // dash when preceded by a digit:                 ([0-9])(-) -> \1 \2
  return rewrite_pairs(
      text, [](char a, char b) { return digit(a) && b == '-'; }, "", " ", " ");
}

std::string mteval_13a(std::string line) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"<skipped>", ""}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};
  for (const auto& [name, text] : names) line = replaced(line, name, text);
  return separate_punctuation(" " + line + " ");
}

// The ranges of sacreBLEU's tokenizer_zh.py as Python reads them. Two of them are written there
// '\u20000'..'\u2a6d6' and '\u2f800'..'\u2fa1d', which is a four-digit escape and one more
// character: instead of the rarer ideographs they cover U+2001..U+2A6D (quotation marks, dashes,
// arrows, ...) and U+2F81..U+2FA1.
constexpr CharacterRange chinese_ranges[] = {
    {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3000, 0x303F},
    {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x32FF}, {0x3300, 0x33FF},
    {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9},
    {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};

constexpr CharacterRange every_character[] = {{0, 0x10FFFF}};

// The characters at which Python's str.split() splits.
constexpr CharacterRange white_space[] = {
    {0x09, 0x0D},     {0x1C, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

std::string_view stripped(std::string_view line) {
  std::size_t first = line.size(), last = 0;  // keeps the bytes [first, last)
  for_each_character(line, [&](char32_t value, std::string_view bytes) {
    if (in_ranges(white_space, value)) return;
    const auto at = static_cast<std::size_t>(bytes.data() - line.data());
    first = std::min(first, at);
    last = at + bytes.size();
  });
  return last == 0 ? std::string_view{} : line.substr(first, last - first);
}

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  for_each_character(line, [&](char32_t value, std::string_view bytes) {
    const bool space = in_ranges(white_space, value);
    if (!space && !inside) words.emplace_back();
    if (!space) words.back().append(bytes);
    inside = !space;
  });
  return words;
}

}  // namespace

std::vector<std::string> bleu_tokens(const std::string& line, const BleuOptions& options) {
  const std::string text(stripped(options.lowercase ? lower_case(line) : line));
  switch (options.tokens) {
    case BleuTokens::mteval_13a:
      return split(mteval_13a(text));
    case BleuTokens::zh:
      return split(separate_punctuation(set_apart(text, chinese_ranges)));
    case BleuTokens::character:
      return split(set_apart(text, every_character));
    case BleuTokens::none:
      return split(text);
  }
  throw std::invalid_argument("bleu: no such tokenization");
}

}  // namespace xf
