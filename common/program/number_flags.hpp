#pragma once

#include <functional>
#include <limits>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace xf {

// Numbers on a command line. parse() reads all of them in one way, whatever the flag: a decimal
// integer, or a finite number with a point or an exponent; CLI11 by itself takes " 1", 0x10, 010
// for eight, and nan, which is within every range. The checks below come after that.
void read_numbers_strictly(CLI::App& app);

// What is wrong with `text` as a decimal integer, or "".
std::string integer_problem(const std::string& text);

// For CLI::Option::check. A number that must be more than 0, one that must not be less, one that
// must be in [0, 1), and one that must be in [low, high].
std::string positive_problem(const std::string& text);
std::string negative_problem(const std::string& text);
std::string share_problem(const std::string& text);
std::function<std::string(const std::string&)> range_problem(double low, double high);

// An integer, with its present value as the default; refused when it is less than `least`.
CLI::Option* integer_flag(CLI::App& app, const std::string& flag, int& value,
                          const std::string& help, int least = std::numeric_limits<int>::min());

}  // namespace xf
