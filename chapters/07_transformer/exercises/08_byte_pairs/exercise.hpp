#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Pieces = std::vector<std::string>;
using Merge = std::pair<std::string, std::string>;  // these two become one

// The pieces of a word before any merge: its bytes, and the end of the word.
inline Pieces bytes_of(const std::string& word) {
  Pieces pieces;
  for (char byte : word) pieces.emplace_back(1, byte);
  pieces.emplace_back("</w>");
  return pieces;
}

// The pairs that most often stand side by side, one merge after the other, at most `merges`; of
// equal counts, the smallest pair.                          Sennrich, Haddow and Birch 2016, 3.2
std::vector<Merge> learn_merges(const std::map<std::string, int>& counts, int merges);

// The pieces of a word: of its pairs, always that merge first which was learned first.
Pieces apply_merges(const std::string& word, const std::vector<Merge>& merges);

}  // namespace xf::exercise
