#pragma once

#include <functional>
#include <limits>
#include <string>

#include "language/language.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace xf {

// Numbers on a command line. parse() reads those of all flags in the same way: a decimal integer,
// or a finite number with a point or an exponent; CLI11 itself accepts " 1", 0x10, 010 as eight,
// and nan, which is within every range. The checks below come after that.
void read_numbers_strictly(CLI::App& app);

// A check says what is wrong, or nothing. CLI11 carries that on as a text, in English: of_parser()
// finds the words again with which its message ends. What CLI11 says itself is finished English,
// and the only text that is matched.
std::string noted(const Phrase& problem);
Phrase of_parser(const std::string& what);

// For CLI::Option::check. A decimal integer, a number that must be more than 0, one that must not
// be less, one that must be in [0, 1), and one that must be in [low, high].
std::string integer_problem(const std::string& text);
std::string positive_problem(const std::string& text);
std::string negative_problem(const std::string& text);
std::string share_problem(const std::string& text);
std::function<std::string(const std::string&)> range_problem(double low, double high);

// An integer, with its current value as the default; refused when it is less than `least`.
CLI::Option* integer_flag(CLI::App& app, const std::string& flag, int& value,
                          const std::string& help, int least = std::numeric_limits<int>::min());

}  // namespace xf
