#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tensor/tensor.hpp"

namespace xf::test {

// How far the float32 engine may be from a float64 reference, relative to the tensor's largest
// number. Measured: every op is below 1e-6, every layer and model below 5e-6.
constexpr double parity = 1e-5;

inline double largest(const Tensor& x) {
  double size = 0;
  for (std::ptrdiff_t i = 0; i < x.count(); ++i)
    size = std::max(size, std::abs(static_cast<double>(x.values()[i])));
  return size;
}

inline std::string index_text(const Shape& shape, std::ptrdiff_t flat) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = std::to_string(flat % shape[axis]) + (text.empty() ? "" : ", ") + text;
    flat /= shape[axis];
  }
  return "[" + text + "]";
}

// Empty when max |got - want| <= tolerance * size; otherwise one line that names the first
// element beyond that, and the worst ratio. `size` is max |want| unless it is given.
inline std::string difference(const std::string& what, const Tensor& got, const Tensor& want,
                              double tolerance = parity, double size = -1) {
  if (!got.defined() || !want.defined())
    return what + ": no tensor " + (got.defined() ? "wanted" : "was made");
  if (!(got.shape() == want.shape()))
    return what + ": the shape is " + got.shape().str() + ", not " + want.shape().str();
  if (size < 0) size = largest(want);
  std::ptrdiff_t first = -1;
  double worst = 0;
  for (std::ptrdiff_t i = 0; i < got.count(); ++i) {
    const double gap = std::abs(static_cast<double>(got.values()[i]) - want.values()[i]);
    if (gap <= tolerance * size) continue;  // false for NaN
    if (first < 0) first = i;
    worst = std::isnan(gap) ? gap : std::max(worst, gap);
  }
  if (first < 0) return "";
  std::ostringstream text;
  text << what << index_text(got.shape(), first) << std::setprecision(9) << " is "
       << got.values()[first] << ", not " << want.values()[first] << "; the worst gap is "
       << worst / (tolerance * size) << " times the tolerance";
  return text.str();
}

inline void expect_close(const std::string& what, const Tensor& got, const Tensor& want,
                         double tolerance = parity, double size = -1) {
  const std::string found = difference(what, got, want, tolerance, size);
  CHECK_MESSAGE(found.empty(), found);
}

// Equal numbers (a NaN equals nothing).
inline void expect_same(const std::string& what, const Tensor& got, const Tensor& want) {
  expect_close(what, got, want, 0, 0);
}

// The message of the std::invalid_argument that f throws; "" when it throws none.
template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// f throws std::invalid_argument, and its message contains all of `parts`.
template <class F>
void expect_error(const F& f, std::initializer_list<const char*> parts) {
  const std::string message = error_of(f);
  CHECK_MESSAGE(!message.empty(), "no std::invalid_argument was thrown");
  for (const char* part : parts)
    CHECK_MESSAGE(message.find(part) != std::string::npos,
                  "\"" << part << "\" is missing in \"" << message << "\"");
}

}  // namespace xf::test
