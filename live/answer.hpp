#pragma once

#include <string>

namespace xf::live {

// The protocol of the live page: one JSON object in, one out, each on one line.
//   {"do": "positions", "d_model": 32, "positions": 64}  ->  {"encoding": ..., "dot": ...}
// A request that fails gives {"error": "one line"}; nothing is thrown. With "language": "zh" the
// message is in Chinese if the program's message has a translation. The loaded model and the
// trainings are kept until the program ends. No files are read or written. The fields of each
// request and its answer are documented above the function that handles it.
std::string answer(const std::string& request);

}  // namespace xf::live
