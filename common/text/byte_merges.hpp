#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/merge_neighbours.hpp"

namespace xf {

// Byte-pair encoding over bytes, as GPT-2 published it (Radford et al. 2019, 2.2): the vocabulary
// begins with the 256 bytes, so that no text is unknown. A piece of text starts as its bytes, and
// the neighbours whose merge stands first in the list merge, of equal ones the leftmost, until none
// is in the list.
class ByteMerges {
 public:
  using Pair = std::pair<std::string, std::string>;
  // Tokens and merges as the files write them, each byte as a character (written()); -1 for the id
  // of an unknown byte where there is none. Throws UserError that begins with `name` for a merge of
  // what is no token, or into none.
  ByteMerges(std::unordered_map<std::string, int> ids, const std::vector<Pair>& merges, int unknown,
             const std::string& name);

  std::vector<int> encode(std::string_view piece) const;
  // The id of the token that is the whole piece, or -1.
  int whole(std::string_view piece) const;

  // Bytes as the files show them: those that print as themselves, and the others, in their order,
  // as U+0100, U+0101 and so on: a space is "Ġ", a line break "Ċ".
  static std::string written(std::string_view bytes);
  // The reverse; a character that stands for no byte is left as it is.
  static std::string bytes(std::string_view written);

 private:
  std::unordered_map<std::string, int> ids_;
  std::unordered_map<std::uint64_t, TokenMerge> merges_;  // left and right id
  std::vector<int> bytes_;                                // the ids of the 256 bytes, -1: none
};

}  // namespace xf
