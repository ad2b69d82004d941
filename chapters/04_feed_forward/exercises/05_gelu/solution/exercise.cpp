#include "exercise.hpp"

#include <numbers>

namespace xf::exercise {

static double phi_up_to(double x) { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }

double gelu_of(double x) { return x * phi_up_to(x); }

double gelu_derivative(double x) {
  const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  return phi_up_to(x) + x * density;
}

static double inner(double x) {
  return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}

double gelu_tanh(double x) { return x / 2 * (1 + std::tanh(inner(x))); }

double gelu_tanh_derivative(double x) {
  const double t = std::tanh(inner(x));
  const double slope = std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
  return (1 + t) / 2 + x / 2 * (1 - t * t) * slope;
}

}  // namespace xf::exercise
