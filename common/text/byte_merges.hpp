#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/merge_neighbours.hpp"
#include "text/token_table.hpp"

namespace xf {

// Byte-level BPE, as in GPT-2 (Radford et al. 2019, 2.2): the vocabulary begins with the 256 bytes,
// so that no text is unknown. A piece of text starts as its bytes. The adjacent pair whose merge
// comes first in the list is merged, the leftmost if there are several, until no merge applies.
class ByteMerges {
 public:
  using Pair = std::pair<std::string, std::string>;
  // What replaces a character without a token.
  struct Unknown {
    int id = -1;            // -1: nothing
    bool fused = false;     // whether a run of them becomes one
    bool as_bytes = false;  // its bytes as tokens <0x0A>, if all of these exist
  };
  // Tokens and merges as written in the files, each byte as a character (written()). Error messages
  // begin with `name`.
  ByteMerges(TokenTable tokens, Unknown unknown, std::string name);
  ByteMerges(TokenTable tokens, const std::vector<Pair>& merges, Unknown unknown, std::string name);

  // Reserves capacity for the merges of a file of this many bytes. Unused capacity takes no memory.
  void reserve(std::size_t bytes);
  // Adds the next merge; call finish() after the last. Throws UserError if one of the parts or the
  // result is not a token.
  void add(std::string_view left, std::string_view right);
  void finish();

  const TokenTable& tokens() const { return tokens_; }
  std::vector<int> encode(std::string_view piece) const;
  // The same for pieces that start as their characters, as in SentencePiece.
  std::vector<int> encode_characters(std::string_view piece) const;
  // The id of the token that equals the whole piece, or -1.
  int whole(std::string_view piece) const;

  // Bytes as the files write them: printable ones as themselves, the others, in order, as U+0100,
  // U+0101 and so on: a space is "Ġ", a line break "Ċ".
  static std::string written(std::string_view bytes);
  // The reverse; a text that contains a character that represents no byte is left unchanged.
  static std::string bytes(std::string_view written);

 private:
  struct Merge {  // 16 bytes; sorted by left and right
    int left, right, rank, joined;
  };
  std::optional<TokenMerge> find(int left, int right) const;
  std::vector<int> merged(const std::vector<int>& ids) const;

  TokenTable tokens_;
  std::string name_;
  std::vector<Merge> merges_;
  int added_ = 0;
  std::size_t sorted_at_ = 1 << 16;  // number of merges at which duplicates are removed
  Unknown unknown_;
  std::vector<int> bytes_;     // the ids of the 256 bytes, -1: none
  std::vector<int> fallback_;  // the ids of <0x00> to <0xFF>
};

}  // namespace xf
