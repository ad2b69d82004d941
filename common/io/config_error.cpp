#include "io/config_error.hpp"

#include <algorithm>

namespace xf {

std::string flag_name(std::string field) {
  std::replace(field.begin(), field.end(), '_', '-');
  return "--" + field;
}

void require_least(const std::string& field, int least, int value) {
  if (value < least) throw ConfigError(field, "must be at least {}, not {}", least, value);
}

void require_not_negative(const std::string& field, double value) {
  if (!(value >= 0)) throw ConfigError(field, "must be at least 0");
}

void require_positive(const std::string& field, double value) {
  if (!(value > 0)) throw ConfigError(field, "must be more than 0");
}

void require_share(const std::string& field, double value) {
  if (!(value >= 0 && value < 1)) throw ConfigError(field, "must be at least 0 and less than 1");
}

}  // namespace xf
