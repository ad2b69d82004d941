#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/merge_neighbours.hpp"
#include "text/token_table.hpp"

namespace xf {

// Byte-pair encoding over bytes, as GPT-2 published it (Radford et al. 2019, 2.2): the vocabulary
// begins with the 256 bytes, so that no text is unknown. A piece of text starts as its bytes, and
// the neighbours whose merge comes first in the list are merged, the leftmost of equal ones, until
// no merge applies.
class ByteMerges {
 public:
  using Pair = std::pair<std::string, std::string>;
  // What stands for a character without a token.
  struct Unknown {
    int id = -1;            // -1: nothing
    bool fused = false;     // does a run of them give one?
    bool as_bytes = false;  // its bytes as tokens <0x0A>, where all of these exist
  };
  // Tokens and merges as the files write them, each byte as a character (written()). Errors begin
  // with `name`.
  ByteMerges(TokenTable tokens, Unknown unknown, std::string name);
  ByteMerges(TokenTable tokens, const std::vector<Pair>& merges, Unknown unknown, std::string name);

  // Capacity for the merges of a file of this many bytes. It takes no memory before it is used.
  void reserve(std::size_t bytes);
  // The next merge; finish() after the last. Throws UserError for a merge of or into something that
  // is no token.
  void add(std::string_view left, std::string_view right);
  void finish();

  const TokenTable& tokens() const { return tokens_; }
  std::vector<int> encode(std::string_view piece) const;
  // The same where a piece starts as its characters, as in SentencePiece.
  std::vector<int> encode_characters(std::string_view piece) const;
  // The id of the token that is the whole piece, or -1.
  int whole(std::string_view piece) const;

  // Bytes as the files show them: printable ones as themselves, the others, in order, as U+0100,
  // U+0101 and so on: a space is "Ġ", a line break "Ċ".
  static std::string written(std::string_view bytes);
  // The reverse; a text with a character that stands for no byte is left unchanged.
  static std::string bytes(std::string_view written);

 private:
  struct Merge {  // 16 bytes, in the order of left and right
    int left, right, rank, joined;
  };
  std::optional<TokenMerge> find(int left, int right) const;
  std::vector<int> merged(const std::vector<int>& ids) const;

  TokenTable tokens_;
  std::string name_;
  std::vector<Merge> merges_;
  int added_ = 0;
  std::size_t sorted_at_ = 1 << 16;  // merges: then duplicates are removed
  Unknown unknown_;
  std::vector<int> bytes_;     // the ids of the 256 bytes, -1: none
  std::vector<int> fallback_;  // those of <0x00> to <0xFF>
};

}  // namespace xf
