#include "tensor/vector_math.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace xf::test {

TEST_CASE("fast_exp: within 2e-7 of exp, 0 below -87.3, at its largest above 88.7, NaN for NaN") {
  double worst = 0;
  for (int i = -87300; i <= 88700; ++i) {
    const float x = static_cast<float>(i) / 1000;
    const double exact = std::exp(double(x));
    worst = std::max(worst, std::abs(double(fast_exp(x)) - exact) / exact);
  }
  CHECK(worst < 2e-7);
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(fast_exp(0) == 1);
  CHECK(fast_exp(-87.31f) == 0);
  CHECK(fast_exp(-infinity) == 0);
  CHECK(fast_exp(infinity) == fast_exp(88.7f));
  CHECK(std::isfinite(fast_exp(infinity)));
  CHECK(std::isnan(fast_exp(std::nanf(""))));
}

TEST_CASE("fast_erf: within 5e-7 of erf everywhere, odd, one far away, NaN for NaN") {
  double worst = 0;
  for (int i = -60000; i <= 60000; ++i) {
    const float x = static_cast<float>(i) * 1e-4f;
    worst = std::max(worst, std::abs(double(fast_erf(x)) - std::erf(double(x))));
  }
  CHECK(worst < 5e-7);
  CHECK(fast_erf(-0.75f) == -fast_erf(0.75f));
  CHECK(std::abs(fast_erf(1e30f) - 1) < 5e-7);
  CHECK(std::isnan(fast_erf(std::nanf(""))));
}

}  // namespace xf::test
