#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// Output of a lesson. Everything goes to standard output, at most 100 columns wide, or as wide as
// the terminal (speech/terminal.hpp), in the language of the run (language/language.hpp); the names
// of rows and columns stay as they are.

// "3. title", underlined; the numbers count up from 1.
void section(const Words& title);
// A paragraph, wrapped; a blank line before it.
void say(const Words& paragraph);
// Equations or code, indented and as they are (several lines allowed).
void equation(const Words& lines);
// Data, such as sentences or a path, laid out as equations are.
void quote(const std::string& lines);
// "picture: path", for a file that was written.
void picture(const std::string& path);
// "=> text" on a line of its own: what the learner should remember. Keep it under 98 columns:
// `learn` collects these lines of all chapters onto one screen.
void finding(const Words& text);

// The labels of a tensor's rows and columns; either may be empty.
struct Labels {
  std::vector<std::string> rows = {};
  std::vector<std::string> columns = {};
};
// The words of row b of the ids (B, T), by a list of all words.
std::vector<std::string> words_of(const Ids& ids, int b,
                                  const std::vector<std::string>& vocabulary);

// The name of a tensor: words, or the name of a variable.
struct Name : Phrase {
  Name(const char* name) : Phrase(one_word(name) ? Phrase(std::string(name)) : Phrase(name)) {}
  Name(Words words) : Phrase(std::move(words)) {}
  Name(const std::string& data) : Phrase(data) {}

 private:
  static bool one_word(std::string_view name) { return name.find(' ') == name.npos; }
};
// The name, the shape, and the numbers (4 decimals) in aligned rows; one block per leading index.
// What does not fit (more than 100 columns or 20 rows) is left out at an ellipsis.
void show(const Name& name, const Tensor& tensor, const Labels& labels = {});
void show(const Name& name, const Ids& ids, const Labels& labels = {});

// A table with a heading, for measurements; each column is as wide as it must be.
class Table {
 public:
  explicit Table(std::vector<Phrase> heading);
  // Throws std::invalid_argument when the number of cells is not that of the heading.
  void row(std::vector<Phrase> cells);
  void print() const;

 private:
  void print_columns(const std::vector<bool>& words, const std::vector<int>& widths) const;

  std::vector<std::vector<Phrase>> rows_;
};

// A number as text: fixed(0.5, 2) = "0.50", small(0.00012) = "1.2e-04".
std::string fixed(double value, int decimals = 4);
std::string small(double value);

// The largest |a - b|; NaN where only one of them is. Throws std::invalid_argument when the
// shapes differ.
double max_difference(const Tensor& a, const Tensor& b);
// The root of the sum of the squares.
double norm_of(const Tensor& x);
// Prints the tolerance beside `what`, a claim (speech/claims.hpp); where the largest |a - b| is
// above it, or NaN, that is printed, and the claim is false. A lesson with a false claim continues,
// and fails at its end.
void agree(const Words& what, const Tensor& a, const Tensor& b, double tolerance = 1e-5);
// The same for a claim that is no comparison of tensors; prints nothing where it holds.
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
