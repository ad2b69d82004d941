#include "text/corpus.hpp"

#include <algorithm>
#include <istream>
#include <iterator>

#include "io/files.hpp"
#include "tensor/error.hpp"

namespace xf {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string place(const std::string& name, std::size_t index) {
  return name + ":" + std::to_string(index + 1) + ": ";
}

// Lines of `text`, which came from `name`.
std::vector<std::string> split_lines(std::string_view text, const std::string& name) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::size_t bad = 0;
    if (!valid_utf8(line, &bad))
      throw UserError(place(name, lines.size()) + "invalid UTF-8 at byte " +
                      std::to_string(bad + 1));
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool blank(std::string_view line) { return split_words(line).empty(); }

// Throws UserError when the sentence has too many words.
void check_length(std::string_view sentence, const std::string& at) {
  const std::size_t words = split_words(sentence).size();
  if (words > max_sentence_words)
    throw UserError(at + "a line of " + std::to_string(words) + " words (at most " +
                    std::to_string(max_sentence_words) + ")");
}

void check_sentences(const std::vector<std::string>& lines, const std::string& path) {
  if (lines.empty()) throw UserError(path + ": no sentences in it");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (blank(lines[i])) throw UserError(place(path, i) + "an empty line");
    check_length(lines[i], place(path, i));
  }
}

std::string take_column(std::string_view& row, int column, const std::string& at) {
  if (row.data() == nullptr) throw UserError(at + "needs 2 columns with a tab between them, has 1");
  const std::size_t end = row.find('\t');
  const std::string_view cell = row.substr(0, end);
  row = end == std::string_view::npos ? std::string_view{} : row.substr(end + 1);
  if (blank(cell)) throw UserError(at + "column " + std::to_string(column) + " is empty");
  check_length(cell, at);
  return std::string(cell);
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  return split_lines(read_file(path), path);
}

std::vector<std::string> read_sentences(std::istream& in, const std::string& name) {
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::string> lines = split_lines(text, name);
  for (std::size_t i = 0; i < lines.size(); ++i) check_length(lines[i], place(name, i));
  return lines;
}

std::vector<std::string> read_sentences(const std::string& path) {
  std::vector<std::string> lines = read_lines(path);
  for (std::size_t i = 0; i < lines.size(); ++i) check_length(lines[i], place(path, i));
  return lines;
}

ParallelText read_parallel(const std::string& source_path, const std::string& target_path) {
  ParallelText text{read_lines(source_path), read_lines(target_path)};
  if (text.source.size() != text.target.size())
    throw UserError(source_path + " has " + std::to_string(text.source.size()) + " lines, " +
                    target_path + " has " + std::to_string(text.target.size()));
  check_sentences(text.source, source_path);
  check_sentences(text.target, target_path);
  return text;
}

ParallelText read_pairs(const std::string& path) {
  const std::vector<std::string> rows = read_lines(path);
  if (rows.empty()) throw UserError(path + ": no sentences in it");
  ParallelText text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string_view row = rows[i];
    text.source.push_back(take_column(row, 1, place(path, i)));
    text.target.push_back(take_column(row, 2, place(path, i)));
  }
  return text;
}

}  // namespace xf
