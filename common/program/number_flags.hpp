#pragma once

#include <functional>
#include <limits>
#include <string>

#include "io/numbers.hpp"
#include "language/language.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace xf {

// Numbers on a command line. parse() accepts the same syntax for all flags: a decimal integer, or a
// finite number with a point or an exponent. CLI11 itself would accept " 1", 0x10, 010 as eight,
// and nan, which passes every range check. The checks below run after that.
void read_numbers_strictly(CLI::App& app);

// A check returns what is wrong, or nothing. CLI11 passes it on as English text, so of_parser()
// recovers the phrase from the end of CLI11's message. CLI11's own messages are finished English,
// the only text that has to be matched.
std::string noted(const Phrase& problem);
Phrase of_parser(const std::string& what);

// For CLI::Option::check: a decimal integer, a finite Number, a positive number, a non-negative
// one, one that must be in [0, 1), and one that must be in [low, high].
std::string integer_problem(const std::string& text);
template <class Number>
std::string finite_problem(const std::string& text) {
  return number_in<Number>(text) ? "" : noted(words("expected a finite number, not '{}'", text));
}
std::string positive_problem(const std::string& text);
std::string negative_problem(const std::string& text);
std::string share_problem(const std::string& text);
std::function<std::string(const std::string&)> range_problem(double low, double high);

// An integer flag with its current value as the default; values below `least` are rejected.
CLI::Option* integer_flag(CLI::App& app, const std::string& flag, int& value,
                          const std::string& help, int least = std::numeric_limits<int>::min());

}  // namespace xf
