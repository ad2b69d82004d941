#pragma once

#include <string>
#include <string_view>

namespace xf {

// `text` made safe for a terminal, on one line: line breaks become spaces; control characters,
// invisible ones that change the direction of writing, and invalid UTF-8 become \x1b, \u202e, \xff;
// beyond 1,000 bytes the middle is omitted. Every message goes through this function, because it
// may quote anything from a file or a command line.
std::string printable(std::string_view text);

// Text quoted from a file, for messages: a long one is cut to its beginning and its length.
std::string shortened(std::string_view text);

// printf into a string of any length.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

}  // namespace xf
