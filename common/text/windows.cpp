#include "text/windows.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "distributed/processes.hpp"
#include "io/utf8.hpp"
#include "tensor/error.hpp"
#include "text/corpus.hpp"

namespace xf {

namespace {

// The size of a window: enough lines to put sentences of similar lengths together.
constexpr std::size_t window_lines = 1 << 13, window_bytes = 4 << 20;
constexpr std::size_t longest_skipped = 1 << 26;

// Skips to the end of the line. An endless line is an error in the text, not just in the line.
void skip_rest(LineReader& reader) {
  std::size_t bytes = 0;
  while (!reader.ends() && reader.next_as_it_is())
    if ((bytes += reader.piece().size()) > longest_skipped)
      throw UserError("{}:{}: {}", reader.name(), reader.number(), too_long());
}

// Reads the next line of the text; false at its end. Sets `problem` to what is wrong with the line.
bool take_line(AnsweredText& text, std::string& line, Phrase& problem) {
  LineReader& reader = text.lines;
  problem = {};
  if (!reader.next_as_it_is()) return false;
  line = reader.piece();
  const bool whole = reader.ends() && line.size() <= max_line_bytes;
  skip_rest(reader);
  std::size_t bad = 0;
  if (!whole)
    problem = too_long();
  else if (!valid_utf8(line, &bad))
    problem = words("invalid UTF-8 at byte {}", bad + 1);
  else
    problem = length_problem(line);
  if (problem.empty() && text.problem) problem = text.problem(line);
  if (!problem.empty()) problem = words("{}:{}: {}", reader.name(), reader.number(), problem);
  return true;
}

// Gives all processes the lines of the first one; no lines mean the end.
Lines lines_of_first(const Lines& lines) {
  if (!several_processes()) return lines;
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  std::istringstream in(of_first(all));
  Lines found;
  for (std::string line; std::getline(in, line);) found.push_back(line);
  return found;
}

class Windows {
 public:
  Windows(std::vector<AnsweredText> texts, const AnswerWindow& body,
          const std::function<void(const Phrase&)>& refuse)
      : texts_(std::move(texts)), body_(body), refuse_(refuse), window_(texts_.size()) {}

  std::size_t run() {
    if (first_process()) {
      while (take()) {
        const bool full = window_[0].size() == window_lines || bytes_ >= window_bytes;
        if (full || !ready()) deliver();
      }
      if (!window_[0].empty()) deliver();
      deliver();
      check_ends();
    } else {
      while (deliver()) {
      }
    }
    return refused_;
  }

 private:
  bool ready() {
    return std::all_of(texts_.begin(), texts_.end(),
                       [](AnsweredText& text) { return text.lines.ready(); });
  }

  // Reads one line of each text; false when one of the texts has ended.
  bool take() {
    std::vector<std::string> lines(texts_.size());
    std::vector<Phrase> problems(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i)
      if (!take_line(texts_[i], lines[i], problems[i])) {
        ended_ = i;
        return false;
      }
    const auto problem = std::find_if(problems.begin(), problems.end(),
                                      [](const Phrase& one) { return !one.empty(); });
    const bool fine = problem == problems.end();
    if (!fine) {
      ++refused_;
      refuse_(*problem);
    }
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      window_[i].push_back(fine ? lines[i] : "");
      bytes_ += window_[i].back().size();
    }
    return true;
  }

  // Passes the window to body(); false at the end of all texts.
  bool deliver() {
    for (Lines& lines : window_) lines = lines_of_first(lines);
    if (window_[0].empty()) return false;
    body_(window_, before_);
    before_ += window_[0].size();
    bytes_ = 0;
    for (Lines& lines : window_) lines.clear();
    return true;
  }

  // Throws UserError if a text has more lines than the one that ended first.
  void check_ends() {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (i == ended_) continue;
      LineReader& reader = texts_[i].lines;
      while (reader.next_as_it_is()) skip_rest(reader);
      if (reader.number() == before_) continue;
      const auto [first, second] = std::minmax(i, ended_);
      const LineReader &one = texts_[first].lines, &other = texts_[second].lines;
      throw UserError("{} has {} lines, but {} has {}", one.name(), one.number(), other.name(),
                      other.number());
    }
  }

  std::vector<AnsweredText> texts_;
  const AnswerWindow& body_;
  const std::function<void(const Phrase&)>& refuse_;
  std::vector<Lines> window_;
  std::size_t before_ = 0, bytes_ = 0, refused_ = 0, ended_ = 0;
};

}  // namespace

std::size_t for_each_window(std::vector<AnsweredText> texts, const AnswerWindow& body,
                            const std::function<void(const Phrase& problem)>& refuse) {
  return Windows(std::move(texts), body, refuse).run();
}

}  // namespace xf
