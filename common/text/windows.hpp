#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "language/language.hpp"
#include "text/line_reader.hpp"

namespace xf {

// A text that is to be answered line by line, or several whose lines belong together.
struct AnsweredText {
  LineReader lines;  // of pieces of at most max_line_bytes
  // What is wrong with one of its lines beyond its length, without file and line, or "".
  std::function<Phrase(const std::string& line)> problem;
};

// Calls body() for one window of lines after the other, those of each text, `before` lines after
// the first: for some thousand lines if there are as many, otherwise for those available without
// waiting for their writer. Memory does not grow with the text. A line that has a problem, is too
// long or is not UTF-8 is blank for body(), with those that belong to it, and refuse() gets the
// message: "standard input:3: a line of 1500 words (at most 1000)". Returns how many were refused.
// Throws UserError where one text ends before another, after its lines have been answered.
//
// With several processes the first one reads; body() is called in each.
using Lines = std::vector<std::string>;
using AnswerWindow = std::function<void(const std::vector<Lines>& texts, std::size_t before)>;
std::size_t for_each_window(std::vector<AnsweredText> texts, const AnswerWindow& body,
                            const std::function<void(const Phrase& problem)>& refuse);

}  // namespace xf
