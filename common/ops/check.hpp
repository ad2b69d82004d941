#pragma once

#include <stdexcept>
#include <string>

namespace xf {

// Every op's rule: throws std::invalid_argument("op: message") when it is broken. The message is
// only put together then.
template <class Message>
void require(bool holds, const char* op, const Message& message) {
  if (!holds) throw std::invalid_argument(std::string(op) + ": " + message());
}

}  // namespace xf
