#pragma once

#include <string>

#include "tensor/error.hpp"

namespace xf {

// The flag of a field: "d_model" is --d-model.
std::string flag_name(std::string field);

// Another field to which a rule refers.
struct OtherField {
  const char* name;
};

// A field of a config has an invalid value:
//   ConfigError("heads", "{} does not divide {} {}", 3, OtherField{"d_model"}, 8)
// The message depends on where the value came from: for a file it names the key (what()), for the
// command line the flag (as_flags): "--heads: 3 does not divide --d-model 8".
struct ConfigError : UserError {
  Phrase of_flags;

  ConfigError(const std::string& field, const Phrase& rule)
      : UserError("{}: {}", field, rule), of_flags(words("{}: {}", flag_name(field), rule)) {}
  template <class... Arguments>
  ConfigError(const std::string& field, std::type_identity_t<Format<Arguments...>> rule,
              const Arguments&... arguments)
      : UserError("{}: {}", field, filled(rule.text, {Phrase(of_file(arguments))...})),
        of_flags(words("{}: {}", flag_name(field),
                       filled(rule.text, {Phrase(of_flag(arguments))...}))) {}

 private:
  static const auto& of_file(const auto& argument) { return argument; }
  static std::string of_file(OtherField other) { return other.name; }
  static const auto& of_flag(const auto& argument) { return argument; }
  static std::string of_flag(OtherField other) { return flag_name(other.name); }
};

// Calls body(), and turns a ConfigError into a UserError about the flags, or about the keys in the
// file at `path`.
template <class Body>
auto as_flags(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const ConfigError& error) {
    throw UserError(error.of_flags);
  }
}
template <class Body>
auto as_keys_of(const std::string& path, const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const ConfigError& error) {
    throw UserError("{}: {}", path, error.message);
  }
}

// Each throws ConfigError unless the value is what its name says. A share is at least 0 and less
// than 1.
void require_least(const std::string& field, int least, int value);
void require_not_negative(const std::string& field, double value);
void require_positive(const std::string& field, double value);
void require_share(const std::string& field, double value);

}  // namespace xf
