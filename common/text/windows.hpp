#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "language/language.hpp"
#include "text/line_reader.hpp"

namespace xf {

// A text that is to be answered line by line; the lines of several texts may correspond.
struct AnsweredText {
  LineReader lines;  // in pieces of at most max_line_bytes
  // What is wrong with a line apart from its length, without file and line, or "".
  std::function<Phrase(const std::string& line)> problem;
};

// Calls body() for one window of lines after another: those of each text, and the number of lines
// before them. A window has some thousand lines if there are as many, otherwise those available
// without waiting for input. Memory does not grow with the text. A line that has a problem, is too
// long or is not UTF-8 is blank for body(), as are the corresponding ones, and refuse() gets the
// message: "standard input:3: a line of 1500 words (at most 1000)". Returns how many were refused.
// Throws UserError if one text ends before another, after the lines up to there are answered.
//
// With several processes, the first one reads; body() is called in each.
using Lines = std::vector<std::string>;
using AnswerWindow = std::function<void(const std::vector<Lines>& texts, std::size_t before)>;
std::size_t for_each_window(std::vector<AnsweredText> texts, const AnswerWindow& body,
                            const std::function<void(const Phrase& problem)>& refuse);

}  // namespace xf
