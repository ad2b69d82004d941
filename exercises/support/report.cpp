#include "support/report.hpp"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace xf::exercise {

void report(const std::string& line) {
  static const char* const number = std::getenv("XF_REPORT");
  if (!number) return;
  static const int to = std::atoi(number);
  const std::string all = line + "\n";
  for (std::size_t done = 0; done < all.size();) {
    const ssize_t sent = ::write(to, all.data() + done, all.size() - done);
    if (sent <= 0) std::_Exit(3);  // the rest would be lost unnoticed
    done += static_cast<std::size_t>(sent);
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

static std::string number(float x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, 9).ptr};
}

std::string numbers(const Tensor& tensor) {
  if (!tensor.defined()) return "null";
  std::string shape, values;
  for (int axis = 0; axis < tensor.rank(); ++axis)
    shape += (axis ? ", " : "") + std::to_string(tensor.size(axis));
  for (float value : tensor.values()) values += (values.empty() ? "" : ", ") + number(value);
  return "{\"shape\": [" + shape + "], \"values\": [" + values + "]}";
}

}  // namespace xf::exercise
