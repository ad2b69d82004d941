#pragma once

#include <string>
#include <string_view>

namespace xf {

// What the regular expressions of byte-level tokenizers ask of a character: \p{L}, \p{N}, \s.
enum class CharacterClass { letter, number, space, other };
CharacterClass class_of(char32_t character);

// The text in Unicode's normal form C: "e" and an accent are one character where there is one, and
// accents stand in their order (Unicode Standard Annex 15). The text must be UTF-8.
std::string composed(std::string_view text);

// As Python's str.lower(): every letter becomes its lower-case form; "İ" becomes two characters,
// and a capital sigma that ends a word "ς". It does where a letter with case stands before it and
// none behind it, marks such as "'" and "." left out of account (The Unicode Standard, 3.13,
// Final_Sigma). Bytes that are no UTF-8 stay.
std::string lower_case(std::string_view text);
// The same with each letter for itself: a capital sigma is "σ" wherever it stands.
std::string lower_each(std::string_view text);

// Without the accents that are characters of their own once the text is in normal form D: "é" is
// "e". The text must be UTF-8.
std::string without_accents(std::string_view text);

// A character that is neither seen nor a space: a control character, a format character such as
// U+200B, or one of private use.
bool is_unseen(char32_t character);

}  // namespace xf
