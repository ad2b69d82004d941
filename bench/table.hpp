#pragma once

#include <initializer_list>
#include <string>

namespace xf::bench {

// Text in the language of the run (speech/language.hpp), filled up to `columns` columns of a
// terminal: on the left where `columns` is positive, on the right where it is negative, as printf
// has it.
std::string cell(const std::string& text, int columns);

// The line of a table that names its columns, one blank between two of them.
struct Column {
  const char* title;
  int width;
};
std::string heading(std::initializer_list<Column> columns);

// Prints a line, or a part of one, to standard output.
void print(const std::string& text);

}  // namespace xf::bench
