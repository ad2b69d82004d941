#pragma once

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>

#include "io/printable.hpp"
#include "language/language.hpp"
#include "tensor/tensor.hpp"

namespace xf::mine {

// A difference of more than this share of a tensor's largest number is not just rounding.
constexpr double rounding = 1e-3;

inline double largest(const Tensor& x) {
  double most = 0;
  if (!x.defined()) return most;
  for (const float number : x.values()) most = std::max(most, std::abs(double(number)));
  return most;
}
inline double largest_difference(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined()) return std::numeric_limits<double>::infinity();
  if (!a.defined()) return 0;
  const Values x = a.values(), y = b.values();
  double most = 0;
  for (std::ptrdiff_t i = 0; i < a.count(); ++i)
    most = std::max(most, std::abs(double(x[i]) - double(y[i])));
  return std::isnan(most) ? std::numeric_limits<double>::infinity() : most;
}

// What differs, and the difference as a share of the largest number in it.
struct Difference {
  std::string what;
  double share = 0;
};

inline void say_line(const std::string& line) { std::cout << line << '\n'; }
inline void say_difference(const Difference& d, const std::string& begin) {
  const std::string by = formatted("%.1e", d.share);
  say_line(d.share > rounding
               ? words("{}{}, off by {} of the maximum (not just rounding)", begin, d.what, by)
               : words("{}{}, off by {} of the maximum (just rounding)", begin, d.what, by));
}

}  // namespace xf::mine
