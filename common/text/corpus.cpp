#include "text/corpus.hpp"

#include <sstream>

#include "tensor/error.hpp"
#include "text/line_reader.hpp"

namespace xf {

Phrase too_long() { return words("a line of more than {} bytes", max_line_bytes); }

Phrase length_problem(std::string_view sentence) {
  const std::size_t count = split_words(sentence).size();
  if (count <= max_sentence_words) return {};
  return words("a line of {} words (at most {})", count, max_sentence_words);
}

namespace {

std::string location(const std::string& name, std::size_t index) {
  return name + ":" + std::to_string(index + 1);
}

bool blank(std::string_view line) { return split_words(line).empty(); }

// Throws UserError when the sentence has too many words.
void check_length(std::string_view sentence, const std::string& at) {
  if (const Phrase problem = length_problem(sentence); !problem.empty())
    throw UserError("{}: {}", at, problem);
}

void check_sentences(const std::vector<std::string>& lines, const std::string& path) {
  if (lines.empty()) throw UserError("{}: no sentences in it", path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (blank(lines[i])) throw UserError("{}: {}", location(path, i), "an empty line");
    check_length(lines[i], location(path, i));
  }
}

std::string take_column(std::string_view& row, int column, const std::string& at) {
  if (row.data() == nullptr)
    throw UserError("{}: expected 2 columns separated by a tab, found 1", at);
  const std::size_t end = row.find('\t');
  const std::string_view cell = row.substr(0, end);
  row = end == std::string_view::npos ? std::string_view{} : row.substr(end + 1);
  if (blank(cell)) throw UserError("{}: column {} is empty", at, column);
  check_length(cell, at);
  return std::string(cell);
}

std::vector<std::string> all_lines(LineReader reader) {
  std::vector<std::string> lines;
  while (reader.next()) {
    if (!reader.ends() || reader.piece().size() > max_line_bytes)
      throw UserError("{}: {}", location(reader.name(), lines.size()), too_long());
    lines.push_back(reader.piece());
  }
  return lines;
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  return all_lines(LineReader(path, max_line_bytes));
}

std::vector<std::string> lines_of(const std::string& text, const std::string& path) {
  std::istringstream in(text);
  return all_lines(LineReader(in, path, max_line_bytes));
}

ParallelText read_parallel(const std::string& source_path, const std::string& target_path) {
  ParallelText text{read_lines(source_path), read_lines(target_path)};
  if (text.source.size() != text.target.size())
    throw UserError("{} has {} lines, but {} has {}", source_path, text.source.size(), target_path,
                    text.target.size());
  check_sentences(text.source, source_path);
  check_sentences(text.target, target_path);
  return text;
}

ParallelText read_pairs(const std::string& path) {
  const std::vector<std::string> rows = read_lines(path);
  if (rows.empty()) throw UserError("{}: no sentences in it", path);
  ParallelText text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string_view row = rows[i];
    text.source.push_back(take_column(row, 1, location(path, i)));
    text.target.push_back(take_column(row, 2, location(path, i)));
  }
  return text;
}

}  // namespace xf
