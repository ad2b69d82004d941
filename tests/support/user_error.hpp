#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "tensor/error.hpp"

namespace xf::test {

// f throws UserError, in one line that contains all of `parts`.
template <class F>
void expect_user_error(const F& f, std::initializer_list<const char*> parts) {
  std::string message;
  try {
    f();
  } catch (const UserError& error) {
    message = error.what();
  }
  CHECK_MESSAGE(!message.empty(), "no UserError was thrown");
  CHECK_MESSAGE(message.find('\n') == std::string::npos, message);
  for (const char* part : parts)
    CHECK_MESSAGE(message.find(part) != std::string::npos,
                  "\"" << part << "\" is missing in \"" << message << "\"");
}

}  // namespace xf::test
