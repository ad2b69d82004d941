#include "support/close.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace xf::test {

double largest(const Tensor& x) {
  double size = 0;
  for (std::ptrdiff_t i = 0; i < x.count(); ++i)
    size = std::max(size, std::abs(static_cast<double>(x.values()[i])));
  return size;
}

std::string index_text(const Shape& shape, std::ptrdiff_t flat) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = std::to_string(flat % shape[axis]) + (text.empty() ? "" : ", ") + text;
    flat /= shape[axis];
  }
  return "[" + text + "]";
}

std::string difference(const std::string& what, const Tensor& got, const Tensor& want,
                       double tolerance, double size) {
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

void expect_close(const std::string& what, const Tensor& got, const Tensor& want, double tolerance,
                  double size) {
  const std::string found = difference(what, got, want, tolerance, size);
  CHECK_MESSAGE(found.empty(), found);
}

void expect_same(const std::string& what, const Tensor& got, const Tensor& want) {
  expect_close(what, got, want, 0, 0);
}

}  // namespace xf::test
