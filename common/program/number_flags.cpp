#include "program/number_flags.hpp"

#include <CLI/App.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "io/printable.hpp"

namespace xf {

namespace {

Phrase last_problem;

}  // namespace

std::string noted(const Phrase& problem) {
  last_problem = problem;
  return problem.english();
}

Phrase of_parser(const std::string& what) {
  const auto cut = [&](std::string_view mark) {
    const std::size_t at = what.find(mark);
    return at == what.npos ? std::pair<std::string, std::string>()
                           : std::pair(what.substr(0, at), what.substr(at + mark.size()));
  };
  const std::string& problem = last_problem.english();
  if (!problem.empty() && what.ends_with(": " + problem))
    return words("{}: {}", what.substr(0, what.size() - problem.size() - 2), last_problem);
  if (what == "A subcommand is required") return words("A subcommand is required");
  if (const auto [flag, rest] = cut(" is required"); !flag.empty())
    return words("{} is required", flag);
  if (const auto [before, value] = cut("Could not convert: "); !value.empty())
    return words("Could not convert: {}", value);
  if (const auto [flag, rest] = cut(": 1 required "); !flag.empty())
    return words("{}: 1 required {} missing", flag, rest.substr(0, rest.find(' ')));
  if (const auto [begins, known] = cut(" not in "); !begins.empty()) {
    const std::size_t colon = begins.find(": ");
    return words("{}: {} not in {}", begins.substr(0, colon), begins.substr(colon + 2), known);
  }
  return what;
}

void read_numbers_strictly(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (option->get_expected_min() == 0) continue;  // --flag, which takes no value
    const bool integer = type.starts_with("INT") || type.starts_with("UINT");
    if (!integer && !type.starts_with("FLOAT")) continue;
    // a transformation, unlike a check, is inserted before the existing checks
    option->transform(CLI::Validator(
        [integer](std::string& text) {
          return integer ? integer_problem(text) : finite_problem<double>(text);
        },
        ""));
  }
  for (CLI::App* command : app.get_subcommands({})) read_numbers_strictly(*command);
}

std::string integer_problem(const std::string& text) {
  const std::string digits = text.starts_with('-') ? text.substr(1) : text;
  const bool all_digits = digits.find_first_not_of("0123456789") == std::string::npos;
  const bool octal = digits.size() > 1 && digits[0] == '0';  // CLI11 reads 010 as eight
  return digits.empty() || !all_digits || octal
             ? noted(words("expected an integer, not '{}'", text))
             : "";
}

std::string positive_problem(const std::string& text) {
  return number_in<double>(text).value_or(0) > 0
             ? ""
             : noted(words("must be more than 0, not '{}'", text));
}

std::string negative_problem(const std::string& text) {
  return number_in<double>(text).value_or(-1) >= 0
             ? ""
             : noted(words("must be at least 0, not '{}'", text));
}

std::string share_problem(const std::string& text) {
  const double share = number_in<double>(text).value_or(-1);
  return share >= 0 && share < 1 ? "" : noted(words("must be in [0, 1), not {}", text));
}

std::function<std::string(const std::string&)> range_problem(double low, double high) {
  return [low, high](const std::string& text) {
    const std::optional<double> value = number_in<double>(text);
    if (value && *value >= low && *value <= high) return std::string();
    return noted(words("must be from {} to {}, not '{}'", formatted("%g", low),
                       formatted("%g", high), text));
  };
}

CLI::Option* integer_flag(CLI::App& app, const std::string& flag, int& value,
                          const std::string& help, int least) {
  return app.add_option(flag, value, help)
      ->check([least](const std::string& text) {
        const bool fine = number_in<int>(text).value_or(least) >= least;
        return fine ? "" : noted(words("must be at least {}, not {}", least, text));
      })
      ->capture_default_str();
}

}  // namespace xf
