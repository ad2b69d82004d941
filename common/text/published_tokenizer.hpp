#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/added_tokens.hpp"
#include "text/byte_merges.hpp"
#include "text/longest_pieces.hpp"
#include "text/text_steps.hpp"
#include "text/token_text.hpp"

namespace xf {

class GgufFile;
class JsonObject;

// The tokenizer of a published model: tokenizer.json, or vocab.json and merges.txt, with the tokens
// that files beside them add (added_tokens.hpp). Anything in a tokenizer.json that is not supported
// (Unigram, other steps) is rejected, naming its key.
class PublishedTokenizer {
 public:
  // What vocab.json and merges.txt do not contain, because it follows from the kind of model.
  struct Usual {
    CutRule cut = {};
    bool composes = false;  // normal form C
  };
  // Throws UserError naming the file and the key or the line. Without `usual`, tokenizer.json is
  // required.
  static PublishedTokenizer load(const std::string& directory, const std::optional<Usual>& usual);

  // The tokenizer of a GGUF file: "gpt2", byte pairs with the splitting rule named by `pre`, or
  // "llama", SentencePiece pieces (gguf_tokenizer.cpp).
  static PublishedTokenizer of(const GgufFile& file);

  // `around`: adds the tokens that the tokenizer puts around every text. The text must be UTF-8.
  std::vector<int> encode(std::string_view text, bool around = true) const;
  // Appends what a token adds to a text: nothing for special tokens and for ids without a token.
  void append(int id, TokenText& text, std::string& to) const;
  TokenText text() const { return TokenText(spelling_); }
  std::string decode(const std::vector<int>& ids) const;
  // One more than the largest id.
  int size() const;
  // The id of an added token with this text, or -1.
  int added(std::string_view text) const;
  // A token as spelled in its file, or "".
  std::string_view token(int id) const;

 private:
  void read_whole(const std::string& path);
  void read_two(const std::string& directory, const Usual& usual);
  void read_template(const JsonObject& part);
  void take_byte_pairs(const GgufFile& file);
  void take_pieces(const GgufFile& file);
  void put_around(const JsonObject& settings, bool usually_begins);
  void add_beside(const std::string& directory);
  void follow_settings(const std::string& path, const Usual& usual, bool two_files);
  void append_plain(std::string_view text, bool first, std::vector<int>& ids) const;

  const TokenTable& tokens() const { return pieces_ ? pieces_->tokens() : merges_->tokens(); }

  std::shared_ptr<const ByteMerges> merges_;     // of BPE,
  std::shared_ptr<const LongestPieces> pieces_;  // or of WordPiece
  AddedTokens added_;
  Normalizer normalizer_;
  PreTokenizer cuts_;
  Spelling spelling_;
  bool whole_first_ = false;
  std::vector<int> before_, after_;  // of every text
};

// The two parts of "a b", separated by a single space.
std::optional<std::pair<std::string_view, std::string_view>> two_tokens_of(std::string_view text);

}  // namespace xf
