#pragma once

#include <string>
#include <string_view>

namespace xf {

// The character classes in the regular expressions of byte-level tokenizers: \p{L}, \p{N}, \s.
enum class CharacterClass { letter, number, space, other };
CharacterClass class_of(char32_t character);

// The text in Unicode's normal form C: "e" and an accent are combined into one character if there
// is one, and accents are in canonical order (Unicode Standard Annex 15). The text must be UTF-8.
std::string composed(std::string_view text);

// As Python's str.lower(): every letter becomes its lower-case form; "İ" becomes two characters,
// and a capital sigma at the end of a word becomes "ς": after a cased letter and not before one,
// ignoring marks such as "'" and "." (The Unicode Standard, 3.13, Final_Sigma). Bytes that are not
// UTF-8 are kept.
std::string lower_case(std::string_view text);
// The same for each letter separately: a capital sigma is always "σ".
std::string lower_each(std::string_view text);

// Without the accents that are separate characters in normal form D: "é" becomes "e". The text
// must be UTF-8.
std::string without_accents(std::string_view text);

// Whether a character is invisible but not a space: a control character, a format character such as
// U+200B, or a private-use character.
bool is_unseen(char32_t character);

}  // namespace xf
