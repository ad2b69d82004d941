#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/kinds.hpp"
#include "tensor/random.hpp"
#include "text/byte_pairs.hpp"
#include "text/marian_pieces.hpp"
#include "text/vocabulary.hpp"

namespace xf {

enum class TokenizerKind { word, character, bpe };
constexpr std::array<const char*, 3> names_of(TokenizerKind) { return {"word", "char", "bpe"}; }

// Converts text to token ids and back. A token is a space-separated word, a character, or a piece
// of a word (byte_pairs.hpp). A value type: copies share the large parts.
class Tokenizer {
 public:
  Tokenizer() = default;  // knows only the special tokens

  // max_vocabulary counts the four specials; tokens seen less than min_count times become <unk>
  // (word and char only). Throws UserError that names --vocab when the limit is too small.
  static Tokenizer train(TokenizerKind kind, const std::vector<std::string>& lines,
                         int max_vocabulary, int min_count = 1);

  // The same for a text that is not in memory: each call of `next` returns the next line, or the
  // next piece of a long one, and null at the end. bpe learns from the first 64 MiB.
  using NextLine = std::function<const std::string*()>;
  static Tokenizer train(TokenizerKind kind, const NextLine& next, int max_vocabulary,
                         int min_count = 1);

  // The tokenizer of a published model, which keeps its pieces; it counts as kind bpe.
  static Tokenizer of(MarianPieces pieces);
  // The vocabulary of the published model, or null.
  const MarianVocabulary* published() const { return marian_ ? &marian_->vocabulary() : nullptr; }

  TokenizerKind kind() const { return kind_; }
  int size() const;

  // Without <bos> and <eos>.
  std::vector<int> encode(const std::string& line) const;
  // For training: bpe splits words differently each time (BPE-dropout); the others equal encode().
  std::vector<int> sample(const std::string& line, double alpha, Random& random) const;
  // Skips <pad>, <bos>, <eos>. Throws std::invalid_argument for an unknown id.
  std::string decode(const std::vector<int>& ids) const;
  // The token as a label in a plot: a space is "▁".
  std::string piece(int id) const;

  // Whether both have the same tokens under the same ids.
  bool operator==(const Tokenizer& other) const;

  // In <stem>.vocab.txt (vocabulary.hpp), or for bpe in <stem>.model, SentencePiece's own format.
  // Both throw UserError that names the file and line. Pieces of a published model cannot be saved
  // this way: std::logic_error.
  void save(const std::string& directory, const std::string& stem) const;
  static Tokenizer load(const std::string& directory, const std::string& stem, TokenizerKind kind);
  // The name of that file, and the equivalent of load() for content that is already in memory.
  static std::string file_name(const std::string& stem, TokenizerKind kind);
  static Tokenizer parse(TokenizerKind kind, const std::string& content, const std::string& path);

 private:
  explicit Tokenizer(TokenizerKind kind) : kind_(kind) {}

  TokenizerKind kind_ = TokenizerKind::word;
  std::shared_ptr<const Vocabulary> vocabulary_ = std::make_shared<Vocabulary>();
  std::shared_ptr<const BytePairs> bpe_;
  std::shared_ptr<const MarianPieces> marian_;
};

}  // namespace xf
