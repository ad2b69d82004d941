#pragma once

#include <initializer_list>
#include <string>

#include "language/language.hpp"

namespace xf::bench {

// Text padded to `columns` columns of a terminal: on the left where `columns` is positive, on the
// right where it is negative, as in printf.
std::string cell(const Phrase& text, int columns);

// The header line of a table, with one space between columns.
struct Column {
  const char* title;
  int width;
};
std::string heading(std::initializer_list<Column> columns);

// Prints a line, or a part of one, to standard output.
void print_line(const std::string& text);
void print(const std::string& text);

}  // namespace xf::bench
