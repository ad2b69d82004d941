#pragma once

#include <string>
#include <string_view>

namespace xf {

// `text` as it may be shown on a terminal, in one line: line breaks become spaces; control
// characters, invisible ones that turn the direction of writing, and bytes that are no UTF-8 become
// \x1b, \u202e, \xff; of more than 1,000 bytes the middle is left out. Every message goes through
// here: it may quote whatever is in a file or on a command line.
std::string printable(std::string_view text);

// What a message quotes from a file: of a long text the beginning, and how long it is.
std::string shortened(std::string_view text);

// printf into a string, however long.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

}  // namespace xf
