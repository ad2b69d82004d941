#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "io/utf8.hpp"

namespace xf {

// Byte pair encoding by hand: merges learned from the words of a text, and applied to new words
// (Sennrich, Haddow and Birch 2016, section 3.2 and algorithm 1). --tokenizer bpe trains with
// SentencePiece (common/text/byte_pairs.hpp), with which the tests compare this;
// common/text/merge_neighbours.hpp cuts long words faster.
namespace bpe {

using Pieces = std::vector<std::string>;  // of a word; initially its characters

// Two adjacent pieces that become one.
struct Merge {
  std::string left, right;
  int count;  // how often they were adjacent in the text when they were merged

  std::string piece() const { return left + right; }
};

// `pieces` with each adjacent left and right joined, scanning from the left.
inline Pieces joined(const Pieces& pieces, const Merge& merge) {
  Pieces result;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool both =
        i + 1 < pieces.size() && pieces[i] == merge.left && pieces[i + 1] == merge.right;
    result.push_back(both ? merge.piece() : pieces[i]);
    if (both) ++i;
  }
  return result;
}

// How often each word of the lines occurs. `mark` precedes it, so that a piece that begins a word
// differs from the same letters inside one. (The paper marks the end, with "</w>" or "·".)
inline std::map<std::string, int> count_words(const std::vector<std::string>& lines,
                                              std::string_view mark) {
  std::map<std::string, int> words;
  for (const std::string& line : lines)
    for (const std::string_view word : split_words(line)) ++words[std::string(mark).append(word)];
  return words;
}

// How often each pair is adjacent in the text, given as words in pieces with their counts.
using Pair = std::pair<std::string, std::string>;
inline std::map<Pair, int> count_pairs(const std::vector<std::pair<Pieces, int>>& text) {
  std::map<Pair, int> counts;
  for (const auto& [pieces, count] : text)
    for (std::size_t i = 1; i < pieces.size(); ++i) counts[{pieces[i - 1], pieces[i]}] += count;
  return counts;
}

// At most `most` merges, each of the pair that is the most frequent at that step. Ties go to the
// pair with fewer characters, then to the alphabetically first, as in SentencePiece; the paper does
// not specify this.   words: how often each occurs
inline std::vector<Merge> learn_merges(const std::map<std::string, int>& words, int most) {
  std::vector<std::pair<Pieces, int>> text;
  for (const auto& [word, count] : words) text.emplace_back(code_points(word), count);
  std::vector<Merge> merges;
  while (static_cast<int>(merges.size()) < most) {
    Merge best{.left = {}, .right = {}, .count = 0};
    const auto key = [](const Merge& m) {
      return std::tuple(-m.count, code_points(m.piece()).size(), m.piece());
    };
    for (const auto& [pair, count] : count_pairs(text))
      if (const Merge merge{pair.first, pair.second, count}; key(merge) < key(best)) best = merge;
    if (best.count == 0) break;  // every word is one piece
    for (auto& [pieces, count] : text) pieces = joined(pieces, best);
    merges.push_back(best);
  }
  return merges;
}

// Cuts a word, seen or unseen: applies the merges in the order in which they were learned.
inline Pieces apply_merges(const std::string& word, const std::vector<Merge>& merges) {
  Pieces pieces = code_points(word);
  for (const Merge& merge : merges) pieces = joined(pieces, merge);
  return pieces;
}

}  // namespace bpe

}  // namespace xf
