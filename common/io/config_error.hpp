#pragma once

#include <string>

#include "tensor/error.hpp"

namespace xf {

// A field of a config holds what makes no sense. The rule may name another field, as {}:
//   ConfigError("heads", "3 does not divide {} 8", "d_model")
// It is reported where the value came from: of a file, by the key (what()); of the command line, by
// the flag (as_flags).
struct ConfigError : UserError {
  std::string field, rule, other;

  ConfigError(const std::string& field, const std::string& rule, const std::string& other = "");
  // "--heads: 3 does not divide --d-model 8"
  std::string of_flags() const;
};

// Calls body(); what it refuses is said of the flags, or of the keys in the file at `path`. Throws
// UserError.
template <class Body>
auto as_flags(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const ConfigError& error) {
    throw UserError(error.of_flags());
  }
}
template <class Body>
auto as_keys_of(const std::string& path, const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const ConfigError& error) {
    throw UserError(path + ": " + error.what());
  }
}

// Each throws ConfigError unless the value is what its name says. A share is at least 0 and less
// than 1.
void require_least(const std::string& field, int least, int value);
void require_not_negative(const std::string& field, double value);
void require_positive(const std::string& field, double value);
void require_share(const std::string& field, double value);

}  // namespace xf
