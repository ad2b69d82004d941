#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/added_tokens.hpp"
#include "text/token_table.hpp"

namespace xf {

// The pieces of a published translation model, with the numbers of its vocab.json:
//   {"</s>": 0, "<unk>": 1, "▁the": 2, ..., "<pad>": V - 1}
// Here <pad> is 0, <bos> 1, <eos> 2, <unk> 3, and the others follow in their order. There are V + 1
// ids, because the model begins its translations with <pad>, which is both padding and <bos>.
class MarianVocabulary {
 public:
  // Throws UserError naming the file and the piece if one is missing, or if the numbers are not
  // 0 ... V - 1, each used once.
  static MarianVocabulary read(const std::string& path);
  // Extends the vocabulary to as many ids as the model has rows, with the tokens that files beside
  // it add, and with tokens without a text. Throws UserError naming file and key for a token that
  // has no row, or a different number than in the vocabulary.
  void enlarge(int pieces, const std::vector<AddedToken>& beside);

  // The number of ids used here: one more than in the file.
  int size() const { return static_cast<int>(published_.size()); }
  // "" for an id without a text.
  std::string_view piece(int id) const;
  // unk_id for an unknown piece. </s>, <unk> and <pad> in a text are the special tokens.
  int id(std::string_view piece) const;

  // The tokens that may occur literally in a text, with the numbers of the file.
  const AddedTokens& added() const { return added_; }

  // Converts our ids to the file's and back. Throws std::invalid_argument for an unknown id.
  int published(int id) const;
  int own(int published) const;

 private:
  TokenTable pieces_;           // with the numbers of the file
  std::vector<int> published_;  // by the ids here
  std::vector<int> own_;        // by the file's
  AddedTokens added_;
};

}  // namespace xf
