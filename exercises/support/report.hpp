#pragma once

#include <string>

#include "tensor/tensor.hpp"

namespace xf::exercise {

// Sends a line of JSON immediately, so that a crash loses nothing. It goes to the file descriptor
// in XF_REPORT. The judge trusts no line: each is only compared.
void report(const std::string& line);
std::string quoted(const std::string& text);
// {"shape": [2, 3], "values": [...]}, or null for an undefined tensor.
std::string numbers(const Tensor& tensor);

}  // namespace xf::exercise
