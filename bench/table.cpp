#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "speech/terminal.hpp"

namespace xf::bench {

std::string cell(const Phrase& text, int columns) {
  const std::string& said = text;
  const int missing = std::max(0, std::abs(columns) - display_width(said));
  const std::string blanks(static_cast<std::size_t>(missing), ' ');
  return columns < 0 ? said + blanks : blanks + said;
}

std::string heading(std::initializer_list<Column> columns) {
  std::string line;
  for (const Column& column : columns)
    line += (line.empty() ? "" : " ") + cell(column.title, column.width);
  return line + "\n";
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

void print_line(const std::string& text) { print(text + "\n"); }

}  // namespace xf::bench
