#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// Output of a lesson. Everything goes to standard output, at most 100 columns wide, or as wide as
// the terminal (speech/terminal.hpp), in the language of the run (language/language.hpp); the names
// of rows and columns are not translated.

// "3. title", underlined; sections are numbered from 1.
void section(const Words& title);
// A paragraph, wrapped and preceded by a blank line.
void say(const Words& paragraph);
// Equations or code, indented but otherwise verbatim (several lines allowed).
void equation(const Words& lines);
// Data, such as sentences or a path, laid out as equations are.
void quote(const std::string& lines);
// "picture: path", for a file that was written.
void picture(const std::string& path);
// "=> text" on a line of its own: what the learner should remember. Keep it under 98 columns:
// `learn` shows these lines from all chapters on one screen.
void finding(const Words& text);

// The labels of a tensor's rows and columns; either may be empty.
struct Labels {
  std::vector<std::string> rows = {};
  std::vector<std::string> columns = {};
};
// The words of row b of the ids (B, T), looked up in a vocabulary.
std::vector<std::string> words_of(const Ids& ids, int b,
                                  const std::vector<std::string>& vocabulary);

// The name of a tensor: a phrase, which is translated, or the name of a variable.
struct Name : Phrase {
  Name(const char* name) : Phrase(one_word(name) ? Phrase(std::string(name)) : Phrase(name)) {}
  Name(Words words) : Phrase(std::move(words)) {}
  Name(const std::string& data) : Phrase(data) {}

 private:
  static bool one_word(std::string_view name) { return name.find(' ') == name.npos; }
};
// Prints the name, the shape, and the numbers (4 decimals) in aligned rows; one block per leading
// index. An ellipsis replaces what does not fit (more than 100 columns or 20 rows).
void show(const Name& name, const Tensor& tensor, const Labels& labels = {});
void show(const Name& name, const Ids& ids, const Labels& labels = {});

// A table of measurements with a heading; each column is as wide as necessary.
class Table {
 public:
  explicit Table(std::vector<Phrase> heading);
  // Throws std::invalid_argument unless there are as many cells as in the heading.
  void row(std::vector<Phrase> cells);
  void print() const;

 private:
  void print_columns(const std::vector<bool>& words, const std::vector<int>& widths) const;

  std::vector<std::vector<Phrase>> rows_;
};

// A number as text: fixed(0.5, 2) = "0.50", small(0.00012) = "1.2e-04".
std::string fixed(double value, int decimals = 4);
std::string small(double value);

// The largest |a - b|; NaN where only one of the two is NaN. Throws std::invalid_argument when the
// shapes differ.
double max_difference(const Tensor& a, const Tensor& b);
// The root of the sum of the squares.
double norm_of(const Tensor& x);
// Claims (speech/claims.hpp) that a and b agree, and prints the tolerance beside `what`. If the
// largest |a - b| exceeds the tolerance or is NaN, it is printed instead, and the claim is false.
// A lesson with a false claim continues, and fails at its end.
void agree(const Words& what, const Tensor& a, const Tensor& b, double tolerance = 1e-5);
// The same for a claim that does not compare tensors; prints nothing if it holds.
void claim(bool holds, const Words& what);

// The same with arguments, as words() has them: say("After {} steps …", n).
template <class First, class... Rest>
void say(std::type_identity_t<Format<First, Rest...>> format, const First& first,
         const Rest&... rest) {
  say(filled(format.text, {Phrase(first), Phrase(rest)...}));
}
template <class First, class... Rest>
void equation(std::type_identity_t<Format<First, Rest...>> format, const First& first,
              const Rest&... rest) {
  equation(filled(format.text, {Phrase(first), Phrase(rest)...}));
}
template <class First, class... Rest>
void finding(std::type_identity_t<Format<First, Rest...>> format, const First& first,
             const Rest&... rest) {
  finding(filled(format.text, {Phrase(first), Phrase(rest)...}));
}
template <class First, class... Rest>
void claim(bool holds, std::type_identity_t<Format<First, Rest...>> format, const First& first,
           const Rest&... rest) {
  claim(holds, filled(format.text, {Phrase(first), Phrase(rest)...}));
}

}  // namespace xf
