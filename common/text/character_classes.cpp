#include "text/character_classes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "io/utf8.hpp"
#include "text/character_classes_table.hpp"
#include "text/combining_table.hpp"
#include "text/composition_table.hpp"

namespace xf {

namespace {

// The span that `value` lies in, or null.
template <class Span, std::size_t count>
const Span* span_of(const Span (&spans)[count], char32_t value) {
  const Span* after =
      std::upper_bound(std::begin(spans), std::end(spans), value,
                       [](char32_t wanted, const Span& span) { return wanted < span.first; });
  return after != std::begin(spans) && value <= std::prev(after)->last ? std::prev(after) : nullptr;
}

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// Korean syllables are composed by arithmetic (The Unicode Standard, 3.12).
constexpr char32_t syllables = 0xAC00, leading = 0x1100, vowels = 0x1161, trailing = 0x11A7;
constexpr char32_t leading_count = 19, vowel_count = 21, trailing_count = 28;
constexpr char32_t syllable_count = leading_count * vowel_count * trailing_count;

struct Piece {
  char32_t value;
  int kind;  // its combining class
};

int kind_of(char32_t value) {
  const CombiningSpan* span = span_of(combining_spans, value);
  return span ? span->kind : 0;
}

void decompose(char32_t value, std::vector<Piece>& pieces) {
  const char32_t syllable = value - syllables;
  if (value >= syllables && syllable < syllable_count) {
    pieces.push_back({leading + syllable / (vowel_count * trailing_count), 0});
    pieces.push_back({vowels + syllable / trailing_count % vowel_count, 0});
    if (syllable % trailing_count != 0) pieces.push_back({trailing + syllable % trailing_count, 0});
    return;
  }
  const auto* found = std::lower_bound(
      std::begin(decompositions), std::end(decompositions), value,
      [](const Decomposition& entry, char32_t wanted) { return entry.whole < wanted; });
  if (found == std::end(decompositions) || found->whole != value)
    return pieces.push_back({value, kind_of(value)});
  decompose(found->first, pieces);
  if (found->second != 0) decompose(found->second, pieces);
}

// The character that two others make, or 0.
char32_t composition(char32_t first, char32_t second) {
  static const auto pairs = [] {
    std::map<std::pair<char32_t, char32_t>, char32_t> all;
    for (const Decomposition& entry : decompositions)
      if (entry.second != 0 && !span_of(never_composed, entry.whole))
        all[{entry.first, entry.second}] = entry.whole;
    return all;
  }();
  if (first - leading < leading_count && second - vowels < vowel_count)
    return syllables + ((first - leading) * vowel_count + (second - vowels)) * trailing_count;
  if (first - syllables < syllable_count && (first - syllables) % trailing_count == 0 &&
      second > trailing && second - trailing < trailing_count)
    return first + (second - trailing);
  const auto found = pairs.find({first, second});
  return found == pairs.end() ? 0 : found->second;
}

// Accents between two letters come into the order of their classes.
void sort_accents(std::vector<Piece>& pieces) {
  const auto is_letter = [](const Piece& piece) { return piece.kind == 0; };
  for (auto first = pieces.begin(); first != pieces.end();) {
    const auto last = std::find_if(first, pieces.end(), is_letter);
    std::stable_sort(first, last, [](const Piece& a, const Piece& b) { return a.kind < b.kind; });
    first = std::find_if_not(last, pieces.end(), is_letter);
  }
}

}  // namespace

CharacterClass class_of(char32_t character) {
  if (is_space(character)) return CharacterClass::space;
  if (span_of(letters, character)) return CharacterClass::letter;
  return span_of(numbers, character) ? CharacterClass::number : CharacterClass::other;
}

std::string composed(std::string_view text) {
  std::vector<Piece> pieces;
  for_each_character(text, [&](char32_t value, std::string_view) { decompose(value, pieces); });
  sort_accents(pieces);
  // Each piece joins the last letter before it unless one of its class, or a letter, is between.
  std::vector<Piece> kept;
  std::size_t letter = 0;
  bool any = false;  // a letter so far
  for (const Piece& piece : pieces) {
    const bool next = any && letter + 1 == kept.size();
    const bool free = any && (next || (kept.back().kind != 0 && kept.back().kind < piece.kind));
    if (const char32_t whole = free ? composition(kept[letter].value, piece.value) : 0) {
      kept[letter].value = whole;
      continue;
    }
    if (piece.kind == 0) letter = kept.size(), any = true;
    kept.push_back(piece);
  }
  std::string result;
  for (const Piece& piece : kept) append_code_point(result, piece.value);
  return result;
}

}  // namespace xf
