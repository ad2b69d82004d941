#pragma once

#include <string>

namespace xf::live {

// What the live page asks: one JSON object in, one out, in one line.
//   {"do": "positions", "d_model": 32, "positions": 64}  ->  {"encoding": ..., "dot": ...}
// A request that cannot be answered gives {"error": "one line"}; nothing is thrown. The line is
// Chinese with "language": "zh", where the programs' messages are. What was loaded and what is
// being trained stays until the program ends. Nothing here reads or writes a file.
// What each request has, and what it gives, stands above the function that answers it.
std::string answer(const std::string& request);

}  // namespace xf::live
