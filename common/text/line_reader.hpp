#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

namespace xf {

// A line, or a part of one that is too long: `ends` says whether the line ends with it.
using LineBody = std::function<void(const std::string& piece, bool ends)>;

// The lines of a UTF-8 text, in memory that does not grow with it: split at '\n' only, one '\r'
// before it and a byte order mark dropped. A line longer than `limit` bytes comes in several
// pieces, cut before a space where there is one, and always between characters. Throws UserError
// with one line that names the file and, where there is one, the line:
//   train.de:12: invalid UTF-8 at byte 7
void for_each_line(const std::string& path, const LineBody& body, std::size_t limit = 1 << 15);
// The same of a stream, which messages call `name`.
void for_each_line(std::istream& in, const std::string& name, const LineBody& body,
                   std::size_t limit = 1 << 15);

}  // namespace xf
