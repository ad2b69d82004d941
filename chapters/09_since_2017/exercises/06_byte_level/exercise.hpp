#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Tokens = std::vector<std::string>;
using Merge = std::pair<std::string, std::string>;  // these two become one

// The character of this number, 0 to 2047.
inline std::string utf8(int number) {
  if (number < 128) return std::string(1, static_cast<char>(number));
  return {static_cast<char>(192 + number / 64), static_cast<char>(128 + number % 64)};
}

// What each of the 256 bytes is written as: bytes that print as the character of their number, the
// others in their order as those of 256, 257, …                       Radford et al. 2019, 2.2
Tokens byte_characters();

// The merges of a published file, the first the most important.
std::vector<Merge> read_merges(const std::string& text);

// The tokens of a word: of its pairs, always that one is joined whose merge stands first.
Tokens encode(const std::string& word, const std::vector<Merge>& merges);

// The bytes that were encoded.
std::string decode(const Tokens& tokens);

}  // namespace xf::exercise
