#pragma once

#include <string>
#include <string_view>

namespace xf {

// What the regular expressions of byte-level tokenizers ask of a character: \p{L}, \p{N}, \s.
enum class CharacterClass { letter, number, space, other };
CharacterClass class_of(char32_t character);

// The text in Unicode's normal form C: "e" and an accent are one character where there is one, and
// accents stand in their order. Unicode Standard Annex 15, with the combining classes that the
// reference knows (tests/golden/unicode_tables.py). The text must be UTF-8.
std::string composed(std::string_view text);

}  // namespace xf
