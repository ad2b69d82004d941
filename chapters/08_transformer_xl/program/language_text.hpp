#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "language/language.hpp"
#include "tensor/tensor.hpp"
#include "text/line_reader.hpp"
#include "text/token_file.hpp"
#include "text/tokenizer.hpp"

namespace xf::language {

// Where a text is: the lines [first, last) of its files, one file after the other.
struct TextSource {
  std::vector<std::string> files;
  std::size_t first = 0, last = std::numeric_limits<std::size_t>::max();
  Phrase name = {};  // for messages
};

// Its lines, in pieces where they are long (text/line_reader.hpp): the text is never in memory as a
// whole.
class TextReader {
 public:
  explicit TextReader(const TextSource& source) : source_(source) {}

  // Goes to the next piece; false when there is none. Throws UserError naming the file, and line
  // and byte of an invalid character.
  bool next();
  const std::string& piece() const { return file_->piece(); }
  bool ends() const { return file_->ends(); }  // does its line end with the piece?
  std::string location() const;                // "train.txt:12", for messages

 private:
  const TextSource& source_;
  std::size_t next_file_ = 0, line_ = 0;  // line_: of all files, that comes next
  std::optional<LineReader> file_;
};

// A file; all *.md files, by name, where `path` is a directory.
TextSource text_source(const std::string& path);

// What a command trains on and holds out: two files. Without a text it is the tutorial's own
// documentation, of which the last tenth is held out unless there is a `valid`.
struct TextSources {
  TextSource train, valid;  // `valid` may have no files
};
TextSources text_sources(const std::string& text, const std::string& valid);
Tokenizer train_tokenizer(TokenizerKind level, const TextSource& source, int vocab, int min_count);

// A text as a language model reads it: every line ends in <eos>, which stands for the line break,
// and one <eos> precedes the first line, so that its first token is predicted as well.
//   ids = <eos> line 1 <eos> line 2 <eos> …        n + 1 ids, n predictions
struct LanguageText {
  TokenFile ids;
  double characters = 0;    // line breaks included
  double unknown = 0;       // of the ids: <unk>, which is easier to predict than the word itself
  std::string fingerprint;  // of its lines
  Phrase name;              // of its source

  std::ptrdiff_t predictions() const { return ids.size() - 1; }
};

LanguageText encode_text(const Tokenizer& tokenizer, const TextSource& source);
// Throws UserError naming the text unless each of `rows` streams of it fills a segment. The two
// come from `flags`.
void check_length(const LanguageText& text, int rows, int segment,
                  const std::string& flags = "--batch and --segment");
// Some lines in memory, the last one not ended: the prompt of a text to be written.
std::vector<std::int32_t> encode_prompt(const Tokenizer& tokenizer, const std::string& prompt);

// The reverse, token by token.
class GrowingText {
 public:
  explicit GrowingText(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  // What this token adds to the text.
  std::string take(int id);

 private:
  const Tokenizer& tokenizer_;
  std::vector<int> line_;
  std::size_t written_ = 0;  // bytes of the line
};
std::string decode_text(const Tokenizer& tokenizer, const std::vector<int>& ids);

// The text in `rows` streams of equal length that run side by side: stream b predicts the tokens
// [b length, (b + 1) length). The last one may be shorter; there the target is -1.
struct Streams {
  TokenFile ids;
  int rows;

  std::ptrdiff_t predictions() const { return ids.size() - 1; }
  std::ptrdiff_t length() const { return (predictions() + rows - 1) / rows; }

  struct Piece {
    Ids ids;       // (rows, E + T), E <= extended tokens of context first
    Ids expected;  // (rows, T)
    int counted;   // how many targets are not -1
  };
  // The predictions [begin, begin + segment) of the streams [first, last), fewer at the end.
  Piece piece(int first, int last, std::ptrdiff_t begin, int segment, int extended) const;
};

}  // namespace xf::language
