#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <stdexcept>
#include <string>

#include "tensor/error.hpp"

namespace xf::test {

// The message of the Error that f throws; "" when it throws none.
template <class Error = std::invalid_argument, class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class F>
std::string user_error(const F& f) {
  return error_of<UserError>(f);
}

inline void expect_parts(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    CHECK_MESSAGE(message.find(part) != std::string::npos,
                  "\"" << part << "\" is missing in \"" << message << "\"");
}

// f throws std::invalid_argument, and its message contains all of `parts`.
template <class F>
void expect_error(const F& f, std::initializer_list<const char*> parts) {
  const std::string message = error_of(f);
  CHECK_MESSAGE(!message.empty(), "no std::invalid_argument was thrown");
  expect_parts(message, parts);
}

// f throws UserError, in one line that contains all of `parts`.
template <class F>
void expect_user_error(const F& f, std::initializer_list<const char*> parts) {
  const std::string message = user_error(f);
  CHECK_MESSAGE(!message.empty(), "no UserError was thrown");
  CHECK_MESSAGE(message.find('\n') == std::string::npos, message);
  expect_parts(message, parts);
}

}  // namespace xf::test
