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

// The location of a text: the lines [first, last) of its files, in their order.
struct TextSource {
  std::vector<std::string> files;
  std::size_t first = 0, last = std::numeric_limits<std::size_t>::max();
  Phrase name = {};  // for messages
};

// Reads its lines, long ones in pieces (text/line_reader.hpp): memory never holds the whole text.
class TextReader {
 public:
  explicit TextReader(const TextSource& source) : source_(source) {}

  // Advances to the next piece; returns false at the end. Throws UserError naming the file, and
  // line and byte of an invalid character.
  bool next();
  const std::string& piece() const { return file_->piece(); }
  bool ends() const { return file_->ends(); }  // whether the piece ends its line
  std::string location() const;                // "train.txt:12", for messages

 private:
  const TextSource& source_;
  std::size_t next_file_ = 0, line_ = 0;  // line_: number of the next line, over all files
  std::optional<LineReader> file_;
};

// A file, or all *.md files sorted by name if `path` is a directory.
TextSource text_source(const std::string& path);

// The training text and the held-out text of a command. By default it uses the tutorial's own
// documentation and holds out the last tenth, unless there is a `valid`.
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
  double unknown = 0;       // ids that are <unk>, which is easier to predict than the word
  std::string fingerprint;  // of its lines
  Phrase name;              // of its source

  std::ptrdiff_t predictions() const { return ids.size() - 1; }
};

LanguageText encode_text(const Tokenizer& tokenizer, const TextSource& source);
// Throws UserError naming the text unless it fills one segment in each of `rows` streams. `flags`
// are those that set the two numbers.
void check_length(const LanguageText& text, int rows, int segment,
                  const std::string& flags = "--batch and --segment");
// Encodes some lines, the last of which has not ended: the prompt of a text to be continued.
std::vector<std::int32_t> encode_prompt(const Tokenizer& tokenizer, const std::string& prompt);

// The inverse, token by token.
class GrowingText {
 public:
  explicit GrowingText(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  // The characters that this token adds to the text.
  std::string take(int id);

 private:
  const Tokenizer& tokenizer_;
  std::vector<int> line_;
  std::size_t written_ = 0;  // bytes of the line
};
std::string decode_text(const Tokenizer& tokenizer, const std::vector<int>& ids);

// The text in `rows` streams of equal length, read in parallel: stream b predicts the tokens [b
// length, (b + 1) length). The last one may be shorter; its missing targets are -1.
struct Streams {
  TokenFile ids;
  int rows;

  std::ptrdiff_t predictions() const { return ids.size() - 1; }
  std::ptrdiff_t length() const { return (predictions() + rows - 1) / rows; }

  struct Piece {
    Ids ids;       // (rows, E + T), beginning with E <= extended tokens of context
    Ids expected;  // (rows, T)
    int counted;   // how many targets are not -1
  };
  // The predictions [begin, begin + segment) of the streams [first, last), or fewer at the end.
  Piece piece(int first, int last, std::ptrdiff_t begin, int segment, int extended) const;
};

}  // namespace xf::language
