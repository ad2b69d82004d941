#include "tensor/portable_math.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tensor/random.hpp"

namespace xf::test {

namespace {

// How far `got` is from `want`, in units of the last place of `want` as a double.
double ulps(double got, long double want) {
  const double near = std::abs(static_cast<double>(want));
  const double unit = std::nextafter(near, std::numeric_limits<double>::infinity()) - near;
  return std::abs(static_cast<double>((static_cast<long double>(got) - want) / unit));
}

constexpr int many = 20000;

}  // namespace

TEST_CASE("portable math: within 2 units in the last place of the standard library's long double") {
  if (std::numeric_limits<long double>::digits <= std::numeric_limits<double>::digits) return;
  Random random(1);
  for (int i = 0; i < many; ++i) {
    const double x = random.uniform(-700, 700), angle = random.uniform(-1, 1) * (i % 2 ? 10 : 1e6);
    const double positive = std::exp(random.uniform(-700, 700)), near = random.uniform(0.5, 2);
    CHECK(ulps(portable::exp(x), std::exp(static_cast<long double>(x))) < 2);
    CHECK(ulps(portable::log(positive), std::log(static_cast<long double>(positive))) < 2);
    CHECK(ulps(portable::log(near), std::log(static_cast<long double>(near))) < 2);
    CHECK(ulps(portable::sin(angle), std::sin(static_cast<long double>(angle))) < 2);
    CHECK(ulps(portable::cos(angle), std::cos(static_cast<long double>(angle))) < 2);
    const double base = random.uniform(0, 10000), power = random.uniform(-2, 2);
    CHECK(ulps(portable::pow(base, power), std::pow(static_cast<long double>(base), power)) <
          4 + 2 * std::abs(power * std::log(base)));
  }
}

TEST_CASE("portable math: at its limits") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(portable::exp(0) == 1);
  CHECK(portable::exp(710) == infinity);
  CHECK(portable::exp(-746) == 0);
  CHECK(std::isnan(portable::exp(std::nan(""))));
  CHECK(portable::log(1) == 0);
  CHECK(portable::log(0) == -infinity);
  CHECK(std::isnan(portable::log(-1)));
  CHECK(portable::log(infinity) == infinity);
  CHECK(portable::sin(0) == 0);
  CHECK(portable::cos(0) == 1);
  CHECK(portable::pow(0, 0) == 1);
  CHECK(portable::pow(0, 0.5) == 0);
  CHECK(portable::pow(-2, 3) == -8);
}

TEST_CASE("portable math: powers of ten are exact, and so are their numbers") {
  CHECK(portable::pow(10, 15) == 1e15);
  CHECK(portable::pow(10, -1) == 0.1);
  for (int n = -20; n <= 20; ++n) {
    CHECK(portable::floor_log10(portable::pow(10, n)) == n);
    CHECK(portable::floor_log10(portable::pow(10, n) * 9.99) == n);
  }
}

// These digits are the same on every processor and with every compiler.
TEST_CASE("portable math: the same bits everywhere") {
  CHECK(portable::exp(1) == 0x1.5bf0a8b14576ap+1);
  CHECK(portable::log(10) == 0x1.26bb1bbb55516p+1);
  CHECK(portable::sin(1) == 0x1.aed548f090ceep-1);
  CHECK(portable::cos(100) == 0x1.b981dbf665fdfp-1);
  Random random(7);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += random.normal();
  CHECK(sum == -0x1.1573cd0b5c646p+5);
}

}  // namespace xf::test
