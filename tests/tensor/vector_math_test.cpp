#include "tensor/vector_math.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tensor/random.hpp"
#include "tensor/vectors.hpp"

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

TEST_CASE("sum_over: 16 partial sums, then halves, whatever the processor's vectors") {
  Random random(3);
  for (const int count : {0, 1, 5, 15, 16, 17, 64, 100, 1000}) {
    std::vector<float> x, y;
    for (int i = 0; i < count; ++i) {
      x.push_back(static_cast<float>(random.normal()));
      y.push_back(static_cast<float>(random.normal()));
    }
    const auto in_order = [&](const std::vector<float>& numbers) {
      float sums[16] = {};
      for (std::size_t i = 0; i < numbers.size(); ++i) sums[i % 16] += numbers[i];
      for (int half = 8; half > 2; half /= 2)
        for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
      return (sums[0] + sums[2]) + (sums[1] + sums[3]);
    };
    const auto at = [](const std::vector<float>& numbers) {
      return [&](std::ptrdiff_t i) { return numbers[static_cast<std::size_t>(i)]; };
    };
    CHECK(sum_over(count, at(x)) == in_order(x));
    const auto [first, second] =
        sums_over(count, at(x), [&](std::ptrdiff_t i, float) { return at(y)(i); });
    CHECK(first == in_order(x));
    CHECK(second == in_order(y));
  }
}

TEST_CASE("sums_of: four sums of 16 numbers, each in that order") {
  Random random(4);
  float x[4][16];
  for (auto& row : x)
    for (float& number : row) number = static_cast<float>(random.normal());
  kernel::Sixteen sixteens[4];
  std::memcpy(&sixteens, &x, sizeof x);
  const kernel::Quarter sums = kernel::sums_of(sixteens);
  for (int i = 0; i < 4; ++i) CHECK(sums[i] == sum_of(x[i]));
}

}  // namespace xf::test
