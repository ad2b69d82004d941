#include "support/close.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

namespace xf::test {

namespace {

// The largest |got - want|, NaN if there is one, and the first number beyond `bound`, or -1.
struct Gap {
  double worst = 0;
  std::ptrdiff_t first = -1;
};

Gap gap_of(const Tensor& got, const Tensor& want, double bound) {
  Gap found;
  for (std::ptrdiff_t i = 0; i < got.count(); ++i) {
    const double gap = std::abs(static_cast<double>(got.values()[i]) - want.values()[i]);
    if (found.first < 0 && !(gap <= bound)) found.first = i;  // NaN, too
    found.worst = std::isnan(gap) ? gap : std::max(found.worst, gap);
  }
  return found;
}

// Of each test case the comparison that came nearest to its bound, both relative to the largest
// number. When the program ends, they go into the file that $XF_MEASURED names, a line each.
class Measured {
 public:
  ~Measured() {
    const char* path = std::getenv("XF_MEASURED");
    if (!path) return;
    std::ofstream file(path);
    for (const auto& [name, nearest] : cases_)
      file << name << '\t' << nearest.check << '\t' << nearest.gap << '\t' << nearest.bound << '\n';
  }
  void add(const std::string& check, double gap, double bound) {
    Nearest& nearest = cases_[doctest::getContextOptions()->currentTest->m_name];
    if (nearest.check.empty() || gap / bound > nearest.gap / nearest.bound)
      nearest = {check, gap, bound};
  }

 private:
  struct Nearest {
    std::string check;
    double gap = 0, bound = 1;
  };
  std::map<std::string, Nearest> cases_;
};

Measured& measured() {
  static Measured all;
  return all;
}

}  // namespace

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
  const auto [worst, first] = gap_of(got, want, tolerance * size);
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
  if (!found.empty() || tolerance == 0) return;
  if (size < 0) size = largest(want);
  if (size > 0) measured().add(what, gap_of(got, want, tolerance * size).worst / size, tolerance);
}

void expect_same(const std::string& what, const Tensor& got, const Tensor& want) {
  expect_close(what, got, want, 0, 0);
}

}  // namespace xf::test
