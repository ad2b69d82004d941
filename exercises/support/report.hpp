#pragma once

#include <string>

#include "tensor/tensor.hpp"

namespace xf::exercise {

// Sends a line of JSON, at once: a crash loses nothing. It goes to the descriptor that XF_REPORT
// numbers. The judge believes no line: each is only compared.
void report(const std::string& line);
std::string quoted(const std::string& text);
// {"shape": [2, 3], "values": [...]}, or null for a tensor that was never made.
std::string numbers(const Tensor& tensor);

}  // namespace xf::exercise
