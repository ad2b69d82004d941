#pragma once

#include <stdexcept>
#include <string>

#include "language/language.hpp"

namespace xf {

// An error's message in the language of the run; what() is the same message in English.
struct Spoken {
  Phrase message;
};
// For exceptions of other types, the message is what().
inline Phrase message_of(const std::exception& error) {
  const auto* spoken = dynamic_cast<const Spoken*>(&error);
  return spoken ? spoken->message : Phrase(std::string(error.what()));
}

// Only the literal is a translation key; the arguments are words() themselves, or data:
//
//   throw UserError("{}: {} is missing", path, name);
template <class Base>
struct SpokenError : Base, Spoken {
  SpokenError(const Phrase& said) : Base(said.english()), Spoken{said} {}
  template <class First, class... Rest>
  SpokenError(std::type_identity_t<Format<First, Rest...>> format, const First& first,
              const Rest&... rest)
      : SpokenError(words<First, Rest...>(format, first, rest...)) {}
};

// Something that the user supplied is wrong: a flag, a file, a line of a file. The message is one
// line that names it; programs print it and exit with 2 (common/program/program.hpp).
struct UserError : SpokenError<std::runtime_error> {
  using SpokenError::SpokenError;
};
// A function was called with an argument that it does not accept.
struct InvalidArgument : SpokenError<std::invalid_argument> {
  using SpokenError::SpokenError;
};

// The message with which `body` is refused as invalid; empty if it is not.
template <class Body>
Phrase refusal(const Body& body) {
  try {
    body();
  } catch (const std::invalid_argument& error) {
    return message_of(error);
  }
  return {};
}

}  // namespace xf
