#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xf {

// A literal text or a regular expression to search for. Expressions have the syntax of Oniguruma,
// the library that `tokenizers` uses, too: \p{L} and the like, (?!...), (?i:...).
class TextPattern {
 public:
  static TextPattern literal(std::string text);
  // Throws std::invalid_argument with the library's reason for an invalid expression.
  static TextPattern expression(const std::string& expression);

  // A part of a text: a match, or what is between two matches.
  struct Part {
    std::string_view text;
    bool match;
  };
  // All parts, in order; concatenated they are the text. An empty match is also a part, but not
  // directly after another match. Throws UserError for an expression that takes more than
  // max_steps in one search. The text must be UTF-8.
  std::vector<Part> parts(std::string_view text) const;
  static constexpr unsigned long max_steps = 10'000'000;

 private:
  struct Compiled;
  struct Found {
    std::size_t begin, end;
  };
  // The first match at or after byte `from`; begin is npos if there is none.
  Found find(std::string_view text, std::size_t from) const;

  std::string text_;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace xf
