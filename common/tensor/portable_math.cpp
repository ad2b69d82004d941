#include "tensor/portable_math.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace xf::portable {

namespace {

// ln 2 in two parts, the first with so few bits that its products with integers are exact.
constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;

// pi / 2 = high + middle + low, likewise: the first two have 33 bits.
constexpr double half_pi_high = 1.57079632673412561417e+00,
                 half_pi_middle = 6.07710050630396597660e-11,
                 half_pi_low = 2.02226624879595063154e-21;
constexpr double two_over_pi = 6.36619772367581382433e-01;

// x = quarter pi / 2 + value + rest, |value| up to pi / 4.
struct Angle {
  std::int64_t quarter;
  double value, rest;
};

Angle reduced(double x) {
  const double n = std::nearbyint(x * two_over_pi);
  const double high = x - n * half_pi_high, middle = n * half_pi_middle, near = high - middle;
  const double low = n * half_pi_low - ((high - near) - middle);
  const double value = near - low;
  return {static_cast<std::int64_t>(n), value, (near - value) - low};
}

double sin_of(const Angle& a) {
  const double z = a.value * a.value, v = z * a.value;
  const double r = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  return a.value - ((z * (0.5 * a.rest - v * r) - a.rest) - v * -1.66666666666666324348e-01);
}

double cos_of(const Angle& a) {
  const double z = a.value * a.value;
  const double r =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const double half = 0.5 * z, near = 1 - half;
  return near + (((1 - near) - half) + (z * r - a.value * a.rest));
}

// sin(x + quarters pi/2).
double sine_after(int quarters, double x) {
  const Angle a = reduced(x);
  const std::int64_t quarter = (a.quarter & 3) + quarters;
  const double size = quarter & 1 ? cos_of(a) : sin_of(a);
  return quarter & 2 ? -size : size;
}

}  // namespace

double exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.782712893383973096) return std::numeric_limits<double>::infinity();
  if (x < -745.13321910194110842) return 0;
  // x = n ln 2 + r;  exp(r) = 1 + r + r c / (2 - c), c = r - r^2 P(r^2)
  const double n = std::nearbyint(x * 1.44269504088896338700);
  const double high = x - n * ln2_high, low = n * ln2_low, r = high - low, t = r * r;
  const double c =
      r - t * (1.66666666666666019037e-01 +
               t * (-2.77777777770155933842e-03 +
                    t * (6.61375632143793436117e-05 +
                         t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const double y = 1 - ((low - (r * c) / (2 - c)) - high);
  return std::ldexp(y, static_cast<int>(n));
}

double log(double x) {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  // x = 2^n (1 + f), 1 + f in [sqrt(1/2), sqrt(2));  log(1 + f) by s = f / (2 + f)
  int n = 0;
  double mantissa = std::frexp(x, &n);  // [1/2, 1)
  if (mantissa < 0.70710678118654752440) mantissa *= 2, --n;
  const double f = mantissa - 1, s = f / (2 + f), z = s * s, w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half = 0.5 * f * f, r = even + odd;
  return n * ln2_high - ((half - (s * (half + r) + n * ln2_low)) - f);
}

double pow(double x, double y) {
  const double size = std::abs(y);
  if (size > 64 || size != std::floor(size)) return exp(y * log(x));
  double power = 1;  // integer y: multiplies x, x^2, x^4 ..., so that 10^2 is 100
  for (int n = static_cast<int>(size); n > 0; n /= 2, x *= x)
    if (n % 2 == 1) power *= x;
  return y < 0 ? 1 / power : power;
}

int floor_log10(double x) {
  int n = static_cast<int>(std::floor(log(x) / 2.30258509299404568402));
  while (pow(10, n + 1) <= x) ++n;
  while (pow(10, n) > x) --n;
  return n;
}

double sin(double x) { return sine_after(0, x); }
double cos(double x) { return sine_after(1, x); }

}  // namespace xf::portable
