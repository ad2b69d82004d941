#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/added_tokens.hpp"
#include "text/token_table.hpp"

namespace xf {

// The pieces of a published translation model, as its vocab.json numbers them:
//   {"</s>": 0, "<unk>": 1, "▁the": 2, ..., "<pad>": V - 1}
// Here <pad> is 0, <bos> 1, <eos> 2, <unk> 3, and the others follow in their order: V + 1 ids,
// because the model begins its translations with <pad>, which is both padding and <bos>.
class MarianVocabulary {
 public:
  // Throws UserError naming the file and the piece: one that is missing, numbers that are not
  // 0 ... V - 1, each once.
  static MarianVocabulary read(const std::string& path);
  // Extends it to the number of the model's rows by tokens that files beside the vocabulary add,
  // and by tokens without a text. Throws UserError naming file and key for a token that has no row,
  // or another number than in the vocabulary.
  void enlarge(int pieces, const std::vector<AddedToken>& beside);

  // How many ids there are here: one more than in the file.
  int size() const { return static_cast<int>(published_.size()); }
  // "" for one that has no text.
  std::string_view piece(int id) const;
  // unk_id for what is not in it. Text may spell </s>, <unk> and <pad>: they are those.
  int id(std::string_view piece) const;

  // Those that a text contains literally, by the file's numbers.
  const AddedTokens& added() const { return added_; }

  // From here to there and back. Throws std::invalid_argument for an id that is not in it.
  int published(int id) const;
  int own(int published) const;

 private:
  TokenTable pieces_;           // as the file numbers them
  std::vector<int> published_;  // by the ids here
  std::vector<int> own_;        // by the file's
  AddedTokens added_;
};

}  // namespace xf
