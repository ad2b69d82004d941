#include "text/corpus.hpp"

#include <sstream>

#include "distributed/processes.hpp"
#include "tensor/error.hpp"
#include "text/line_reader.hpp"

namespace xf {

namespace {

// Of a window: enough that sentences of every length find their like.
constexpr std::size_t window_lines = 1 << 13, window_bytes = 4 << 20;

std::string location(const std::string& name, std::size_t index) {
  return name + ":" + std::to_string(index + 1) + ": ";
}

// The line, unless it is a piece of one that is too long.
const std::string& whole(const std::string& line, bool ends, const std::string& at) {
  if (!ends || line.size() > max_line_bytes)
    throw UserError(at + "a line of more than " + std::to_string(max_line_bytes) + " bytes");
  return line;
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
    if (blank(lines[i])) throw UserError(location(path, i) + "an empty line");
    check_length(lines[i], location(path, i));
  }
}

std::string take_column(std::string_view& row, int column, const std::string& at) {
  if (row.data() == nullptr) throw UserError(at + "expected 2 columns separated by a tab, found 1");
  const std::size_t end = row.find('\t');
  const std::string_view cell = row.substr(0, end);
  row = end == std::string_view::npos ? std::string_view{} : row.substr(end + 1);
  if (blank(cell)) throw UserError(at + "column " + std::to_string(column) + " is empty");
  check_length(cell, at);
  return std::string(cell);
}

std::vector<std::string> all_lines(LineReader reader, const std::string& path) {
  std::vector<std::string> lines;
  while (reader.next())
    lines.push_back(whole(reader.piece(), reader.ends(), location(path, lines.size())));
  return lines;
}

}  // namespace

std::vector<std::string> read_lines(const std::string& path) {
  return all_lines(LineReader(path, max_line_bytes), path);
}

std::vector<std::string> lines_of(const std::string& text, const std::string& path) {
  std::istringstream in(text);
  return all_lines(LineReader(in, path, max_line_bytes), path);
}

namespace {

// The windows that the first process reads, in another.
void for_each_window_of_first(const WindowBody& body) {
  std::size_t before = 0;
  while (true) {
    std::istringstream window(of_first(std::string()));
    std::vector<std::string> lines;
    for (std::string line; std::getline(window, line);) lines.push_back(line);
    if (lines.empty()) return;
    body(lines, before);
    before += lines.size();
  }
}

}  // namespace

void for_each_window(std::istream& in, const std::string& name, const WindowBody& body) {
  if (!first_process()) return for_each_window_of_first(body);
  std::size_t before = 0, bytes = 0;
  std::vector<std::string> lines;
  const auto deliver = [&] {
    std::string all;  // of no window: the end
    for (const std::string& line : lines) all += line + "\n";
    of_first(all);
    if (lines.empty()) return;
    body(lines, before);
    before += lines.size();
    bytes = 0;
    lines.clear();
  };
  LineReader reader(in, name, max_line_bytes);
  while (reader.next()) {
    const std::string& line = reader.piece();
    const std::string at = location(name, before + lines.size());
    lines.push_back(whole(line, reader.ends(), at));
    check_length(line, at);
    bytes += line.size();
    if (lines.size() == window_lines || bytes >= window_bytes) deliver();
  }
  if (!lines.empty()) deliver();
  deliver();
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
    text.source.push_back(take_column(row, 1, location(path, i)));
    text.target.push_back(take_column(row, 2, location(path, i)));
  }
  return text;
}

}  // namespace xf
