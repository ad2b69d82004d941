#include "program/number_flags.hpp"

#include <CLI/App.hpp>
#include <optional>
#include <sstream>

#include "io/numbers.hpp"

namespace xf {

namespace {

std::string finite_problem(const std::string& text) {
  return number_in<double>(text) ? "" : "a finite number is expected, not '" + text + "'";
}

}  // namespace

void read_numbers_strictly(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (option->get_expected_min() == 0) continue;  // --flag, which takes no value
    const bool integer = type.starts_with("INT") || type.starts_with("UINT");
    if (!integer && !type.starts_with("FLOAT")) continue;
    // a transformation, unlike a check, comes before what is there already
    option->transform(CLI::Validator(
        [integer](std::string& text) {
          return integer ? integer_problem(text) : finite_problem(text);
        },
        ""));
  }
  for (CLI::App* command : app.get_subcommands({})) read_numbers_strictly(*command);
}

std::string integer_problem(const std::string& text) {
  const std::string digits = text.starts_with('-') ? text.substr(1) : text;
  const bool all_digits = digits.find_first_not_of("0123456789") == std::string::npos;
  const bool octal = digits.size() > 1 && digits[0] == '0';  // to CLI11, 010 is eight
  return digits.empty() || !all_digits || octal ? "an integer is expected, not '" + text + "'" : "";
}

std::string positive_problem(const std::string& text) {
  return number_in<double>(text).value_or(0) > 0 ? "" : "more than 0, not '" + text + "'";
}

std::string negative_problem(const std::string& text) {
  return number_in<double>(text).value_or(-1) >= 0 ? "" : "at least 0, not '" + text + "'";
}

std::string share_problem(const std::string& text) {
  const double share = number_in<double>(text).value_or(-1);
  return share >= 0 && share < 1 ? "" : "in [0, 1), not " + text;
}

std::function<std::string(const std::string&)> range_problem(double low, double high) {
  return [low, high](const std::string& text) {
    const std::optional<double> value = number_in<double>(text);
    std::ostringstream problem;
    if (!(value && *value >= low && *value <= high))
      problem << low << " to " << high << ", not '" << text << "'";
    return problem.str();
  };
}

CLI::Option* integer_flag(CLI::App& app, const std::string& flag, int& value,
                          const std::string& help, int least) {
  return app.add_option(flag, value, help)
      ->check([least](const std::string& text) {
        const bool fine = number_in<int>(text).value_or(least) >= least;
        return fine ? "" : "at least " + std::to_string(least) + ", not " + text;
      })
      ->capture_default_str();
}

}  // namespace xf
