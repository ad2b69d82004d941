#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/byte_merges.hpp"
#include "text/word_pieces.hpp"

namespace xf {

class JsonObject;

// The byte-level tokenizer of a published model: tokenizer.json, or vocab.json and merges.txt with
// the added tokens of tokenizer_config.json. Not every tokenizer.json is one; what it asks for and
// this does not know (Unigram, WordPiece, another expression) is refused, with its key.
class PublishedTokenizer {
 public:
  // What vocab.json and merges.txt do not say, but the kind of model.
  struct Usual {
    CutRule cut = {};
    bool composes = false;  // normal form C
  };
  // Throws UserError naming the file and the key or the line.
  static PublishedTokenizer load(const std::string& directory, const Usual& usual);

  // With the tokens that the tokenizer puts around every text. The text must be UTF-8.
  std::vector<int> encode(std::string_view text) const;
  // The bytes of a token, which need not be whole characters; none for special tokens and for ids
  // that no token has.
  std::string bytes(int id) const;
  std::string decode(const std::vector<int>& ids) const;
  // One more than the largest id.
  int size() const;

 private:
  // A token that stands in the text as it is, such as <|endoftext|>.
  struct Added {
    std::string text;
    int id;
    bool takes_left, takes_right;  // the spaces beside it are part of it
    bool special;
    bool composed;  // looked for in the text after it was composed
  };

  void read_whole(const std::string& path);
  void read_two(const std::string& directory, const Usual& usual);
  void read_normalizer(const JsonObject& file);
  void read_cuts(const JsonObject& part);
  void read_template(const JsonObject& part);
  void add(const JsonObject& token, int id);
  void append(std::string_view text, bool composed, std::vector<int>& ids) const;
  void append_plain(std::string_view text, std::vector<int>& ids) const;

  std::shared_ptr<const ByteMerges> merges_;
  std::vector<Added> added_;
  CutRule cut_ = {CutRule::Kind::none};
  bool composes_ = false, space_first_ = false, whole_first_ = false;
  std::vector<int> before_, after_;  // of every text
};

}  // namespace xf
