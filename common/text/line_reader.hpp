#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace xf {

// A line, or a part of one that is too long: `ends` says whether the line ends with it.
using LineBody = std::function<void(const std::string& piece, bool ends)>;

// What read_lines(path) returns (corpus.hpp), line by line, in memory that does not grow with the
// file. A line longer than `limit` bytes comes in several pieces, cut before a space where there is
// one, and always between characters. Throws UserError as read_lines() does.
void for_each_line(const std::string& path, const LineBody& body, std::size_t limit = 1 << 16);

}  // namespace xf
