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
// In bold type or colour; plain without a terminal, or where NO_COLOR is set.
std::string toned(const std::string& text, Tone tone);

// How many columns a terminal needs for UTF-8 text (CJK characters take two).
int display_width(const std::string& text);

// A text in lines of at most `width` columns, broken between words; a Chinese one beside any
// character, but not before a mark that closes, nor after one that opens.
std::vector<std::string> wrapped(const std::string& text, int width);
// A line with a layout, such as an equation with words beside it: unchanged where it fits, else
// broken at its widest gap. The rest is indented by as many blanks as the line, and four more.
std::vector<std::string> folded(const std::string& line, int width);

}  // namespace xf
