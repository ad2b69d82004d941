#include "io/config_error.hpp"

#include "io/config.hpp"

namespace xf {

namespace {

std::string message(const std::string& field, std::string rule, const std::string& other) {
  if (!other.empty()) rule.replace(rule.find("{}"), 2, other);
  return field + ": " + rule;
}

}  // namespace

ConfigError::ConfigError(const std::string& wrong, const std::string& broken,
                         const std::string& also)
    : UserError(message(wrong, broken, also)), field(wrong), rule(broken), other(also) {}

std::string ConfigError::of_flags() const {
  return message(flag_name(field), rule, other.empty() ? "" : flag_name(other));
}

void require_least(const std::string& field, int least, int value) {
  if (value < least)
    throw ConfigError(field,
                      "at least " + std::to_string(least) + ", not " + std::to_string(value));
}

void require_not_negative(const std::string& field, double value) {
  if (!(value >= 0)) throw ConfigError(field, "at least 0");
}

void require_positive(const std::string& field, double value) {
  if (!(value > 0)) throw ConfigError(field, "more than 0");
}

void require_share(const std::string& field, double value) {
  if (!(value >= 0 && value < 1)) throw ConfigError(field, "at least 0 and less than 1");
}

}  // namespace xf
