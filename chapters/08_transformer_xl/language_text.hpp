#pragma once

#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"
#include "text/tokenizer.hpp"

namespace xf::language {

// A text as a language model reads it: every line ends in <eos>, which stands for the line break,
// and one <eos> stands before the first line, so that its first token is predicted too.
//   ids = <eos> line 1 <eos> line 2 <eos> …        n + 1 ids, n predictions
struct LanguageText {
  std::vector<std::int32_t> ids;
  double characters = 0;  // line breaks included

  std::ptrdiff_t predictions() const { return static_cast<std::ptrdiff_t>(ids.size()) - 1; }
};

LanguageText encode_text(const Tokenizer& tokenizer, const std::vector<std::string>& lines);
// The reverse for a piece of a text.
std::string decode_text(const Tokenizer& tokenizer, const std::vector<int>& ids);

// The lines of a file; of all *.md files, by name, where `path` is a directory. Throws UserError
// naming the file, and line and byte of an invalid character.
std::vector<std::string> read_text(const std::string& path);

// The text in `rows` streams of equal length that run side by side: stream b predicts the tokens
// [b length, (b + 1) length). The last one may be shorter; there the target is -1.
struct Streams {
  std::span<const std::int32_t> ids;
  int rows;

  std::ptrdiff_t predictions() const { return static_cast<std::ptrdiff_t>(ids.size()) - 1; }
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
