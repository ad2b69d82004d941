#include "text/word_pieces.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "io/utf8.hpp"
#include "text/unicode.hpp"

namespace xf {

namespace {

constexpr std::string_view gpt2_expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view llama_head = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
constexpr std::string_view llama_tail = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

struct Character {
  char32_t value;
  std::size_t begin;  // its first byte
  CharacterClass kind;
};

// The characters of a text, and for each of them the end of a piece that begins there.
struct Cutter {
  const CutRule& rule;
  std::vector<Character> all = {};

  std::size_t size() const { return all.size(); }
  bool is(std::size_t i, CharacterClass kind) const { return i < size() && all[i].kind == kind; }
  bool is_break(std::size_t i) const {
    return i < size() && (all[i].value == '\r' || all[i].value == '\n');
  }
  bool is_blank(std::size_t i) const { return i < size() && all[i].value == ' '; }
  // The first character at or after i that is not of this kind.
  std::size_t behind(std::size_t i, CharacterClass kind) const {
    while (is(i, kind)) ++i;
    return i;
  }

  // 's and the like: in lower case, or for llama in either case, where "ſ" also counts as an s.
  std::size_t contraction(std::size_t i) const {
    if (all[i].value != '\'') return i;
    const auto letter = [&](std::size_t at) -> char32_t {
      if (at >= size()) return 0;
      const char32_t c = all[at].value;
      if (rule.kind == CutRule::Kind::gpt2) return c;
      return c == 0x17F ? 's' : c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    };
    const char32_t a = letter(i + 1), b = letter(i + 2);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return i + 2;
    const bool two = (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l');
    return two ? i + 3 : i;
  }

  // \s+(?!\S)|\s+: all of the spaces, except for the last one if something follows.
  std::size_t spaces(std::size_t i) const {
    const std::size_t end = behind(i, CharacterClass::space);
    return end == size() || end == i + 1 ? end : end - 1;
  }

  std::size_t gpt2(std::size_t i) const {
    if (const std::size_t end = contraction(i); end > i) return end;
    const std::size_t word = is_blank(i) ? i + 1 : i;
    if (word < size() && all[word].kind != CharacterClass::space)
      return behind(word, all[word].kind);
    return spaces(i);
  }

  std::size_t llama(std::size_t i) const {
    using enum CharacterClass;
    if (const std::size_t end = contraction(i); end > i) return end;
    const bool prefix = !is_break(i) && !is(i, letter) && !is(i, number);
    if (is(i, letter) || (prefix && is(i + 1, letter))) return behind(prefix ? i + 1 : i, letter);
    if (is(i, number))
      return std::min(behind(i, number), i + static_cast<std::size_t>(rule.digits));
    const std::size_t sign = is_blank(i) ? i + 1 : i;
    if (is(sign, other)) {
      std::size_t end = behind(sign, other);
      while (is_break(end)) ++end;
      return end;
    }
    for (std::size_t end = behind(i, space); end > i; --end)
      if (is_break(end - 1)) return end;
    return spaces(i);
  }
};

}  // namespace

CutRule cut_rule(std::string_view expression) {
  using Kind = CutRule::Kind;
  if (expression == gpt2_expression) return {Kind::gpt2};
  constexpr std::array<std::string_view, 3> numbers = {R"(\p{N})", R"(\p{N}{1,2})",
                                                       R"(\p{N}{1,3})"};
  for (int digits = 1; digits <= 3; ++digits)
    if (expression == std::string(llama_head) + std::string(numbers[std::size_t(digits) - 1]) +
                          std::string(llama_tail))
      return {Kind::llama, digits};
  return {Kind::none};
}

std::vector<std::string_view> cut(std::string_view text, const CutRule& rule) {
  if (rule.kind == CutRule::Kind::none)
    return text.empty() ? std::vector<std::string_view>{} : std::vector{text};
  Cutter cutter{rule};
  std::size_t at = 0;
  for_each_character(text, [&](char32_t value, std::string_view bytes) {
    cutter.all.push_back({value, at, class_of(value)});
    at += bytes.size();
  });
  const auto byte = [&](std::size_t i) {
    return i < cutter.size() ? cutter.all[i].begin : text.size();
  };
  std::vector<std::string_view> pieces;
  for (std::size_t i = 0; i < cutter.size();) {
    const std::size_t end = rule.kind == CutRule::Kind::gpt2 ? cutter.gpt2(i) : cutter.llama(i);
    pieces.push_back(text.substr(byte(i), byte(end) - byte(i)));
    i = end;
  }
  return pieces;
}

}  // namespace xf
