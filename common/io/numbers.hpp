#pragma once

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace xf {

using std::from_chars;
#ifndef __cpp_lib_to_chars  // LLVM 14's library, used by the live page, has it only for integers
inline std::from_chars_result from_chars(const char* first, const char* last, double& number) {
  const std::string text(first, last);
  if (text.empty() || text[0] == '+' || text.find_first_not_of("+-.0123456789Ee") != text.npos)
    return {first, std::errc::invalid_argument};
  char* end = nullptr;
  errno = 0;
  number = std::strtod(text.c_str(), &end);
  return {first + (end - text.c_str()),
          errno == ERANGE ? std::errc::result_out_of_range : std::errc{}};
}
#endif

// The whole of `text` as a decimal number, which must be finite for floating types. Nothing if it
// is anything else ("", "1x", "0x10", " 1", "nan") or out of the type's range.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(number)) return std::nullopt;
  return number;
}

// "2000,10000" as numbers, at least one; nothing if any piece is not an integer.
inline std::optional<std::vector<int>> integers_in(std::string_view text) {
  std::vector<int> list;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<int> number = number_in<int>(text.substr(0, comma));
    if (!number) return std::nullopt;
    list.push_back(*number);
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace xf
