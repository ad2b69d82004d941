#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/token_table.hpp"

namespace xf {

// WordPiece, BERT's tokens: the longest piece that begins a word, then the longest that continues
// it, until nothing is left. "embeddings" is em ##bed ##ding ##s.     Devlin et al. 2018, 3
class LongestPieces {
 public:
  struct Rules {
    int unknown = 0;            // for a word that cannot be split this way
    std::string inside = "##";  // prefix of a piece that does not begin a word
    int longest_word = 100;     // in characters; longer words are unknown
  };
  LongestPieces(TokenTable tokens, Rules rules)
      : tokens_(std::move(tokens)), rules_(std::move(rules)) {}

  // The ids of one word, UTF-8 without spaces.
  std::vector<int> encode(std::string_view word) const;
  const TokenTable& tokens() const { return tokens_; }

 private:
  TokenTable tokens_;
  Rules rules_;
};

}  // namespace xf
