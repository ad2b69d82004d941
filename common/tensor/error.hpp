#pragma once

#include <stdexcept>

namespace xf {

// Something the user gave is wrong: a flag, a file, a line of it. The message is one line that
// names it; programs print it and exit with 2 (common/program/program.hpp).
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace xf
