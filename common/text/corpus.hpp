#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/utf8.hpp"
#include "language/language.hpp"

namespace xf {

// Sentences with more space-separated words than this are rejected: the memory for a sentence's
// attention weights grows with the square of its length.
inline constexpr int max_sentence_words = 1000;
// Lines with more bytes are rejected, too: 1000 words are far shorter.
inline constexpr std::size_t max_line_bytes = 1 << 16;

// Everything below throws UserError with one line that names the file and, if there is one, the
// line: "train.de:12: invalid UTF-8 at byte 7". Lines and bytes are counted from 1.

// The lines of a UTF-8 file: split only at '\n', without a '\r' before it or a byte order mark.
std::vector<std::string> read_lines(const std::string& path);
// The same for a text that is already in memory; `path` is for error messages.
std::vector<std::string> lines_of(const std::string& text, const std::string& path);

// Why a line cannot be used as a sentence, without file and line; "" if it can.
Phrase length_problem(std::string_view sentence);  // too many words
Phrase too_long();                                 // more than max_line_bytes

// Sentence i of `source` means the same as sentence i of `target`.
struct ParallelText {
  std::vector<std::string> source, target;

  std::size_t size() const { return source.size(); }
};

// Line i of one file corresponds to line i of the other; neither may be blank or too long.
ParallelText read_parallel(const std::string& source_path, const std::string& target_path);

// Tab-separated: column 1 is the source, column 2 the target, further columns are ignored.
ParallelText read_pairs(const std::string& path);

}  // namespace xf
