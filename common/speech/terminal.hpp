#pragma once

#include <string>
#include <vector>

namespace xf {

// How output adapts to a terminal. In a file or a pipe it is 100 columns wide and has no colours,
// so that the bytes are the same everywhere.

// How many columns a line may take: those of the terminal, at least 40; unlimited in a file.
int terminal_width();
// The same, and at most 100.
int page_width();

enum class Tone { heading, finding, good, bad };
// In bold or colour; plain if the output is not a terminal or NO_COLOR is set.
std::string toned(const std::string& text, Tone tone);

// How many columns UTF-8 text takes on a terminal (CJK characters take two).
int display_width(const std::string& text);

// Wraps a text into lines of at most `width` columns, broken between words. Chinese text may break
// next to any character, but not before a closing mark or after an opening one.
std::vector<std::string> wrapped(const std::string& text, int width);
// Wraps a line that has a layout, such as an equation with words beside it: unchanged if it fits,
// else broken at its widest gap. The rest is indented four columns more than the line.
std::vector<std::string> folded(const std::string& line, int width);

}  // namespace xf
