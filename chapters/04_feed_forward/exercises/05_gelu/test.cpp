#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Function = double (*)(double);

Tensor each(const std::vector<float>& x, const std::function<double(double)>& f) {
  std::vector<float> y;
  for (float number : x) y.push_back(static_cast<float>(f(number)));
  return Tensor::from({static_cast<int>(y.size())}, y);
}

// Phi by Simpson's rule over the density, 2000 steps from 0: no erf.
double probability(double x) {
  const auto density = [](double t) { return std::exp(-t * t / 2) / 2.5066282746310002; };
  const double h = x / 2000;
  double sum = density(0) - density(x);
  for (int i = 1; i <= 1000; ++i) sum += 4 * density((2 * i - 1) * h) + 2 * density(2 * i * h);
  return 0.5 + sum * h / 3;
}

double exact(double x) { return x * probability(x); }

double approximated(double x) {
  return x / (1 + std::exp(-2 * 0.7978845608028654 * (x + 0.044715 * std::pow(x, 3))));
}

template <Function f>
double slope(double x) {
  const double h = 1e-3;
  return (8 * (f(x + h) - f(x - h)) - f(x + 2 * h) + f(x - 2 * h)) / (12 * h);
}

void check(const std::string& what, const std::vector<float>& x) {
  COMPARE("gelu, " + what, each(x, exact), each(x, exercise::gelu_of));
  COMPARE("gelu', " + what, each(x, slope<exact>), each(x, exercise::gelu_derivative));
}

void check_tanh(const std::string& what, const std::vector<float>& x) {
  COMPARE("tanh gelu, " + what, each(x, approximated), each(x, exercise::gelu_tanh));
  COMPARE("tanh gelu', " + what, each(x, slope<approximated>),
          each(x, exercise::gelu_tanh_derivative));
}

}  // namespace

TEST_CASE("at 0, and left of it, where the derivative is negative") {
  check("x = 0, -0.75, -1, -2", exercise::given({4}, {0, -0.75f, -1, -2}).values());
}

TEST_CASE("at large |x| it is x or 0") {
  const float far = exercise::given(6.0f, 5.0f, 12.0f);
  check("x = 6, -6", {far, -far});
  check_tanh("x = 6, -6", {far, -far});
  const float farther = exercise::given(30.0f, 25.0f, 60.0f);
  check("x = 30, -30", {farther, -farther});
  check_tanh("x = 30, -30", {farther, -farther});
}

TEST_CASE("random numbers") { check("9 of them", exercise::random({9}, 131, 1.5f).values()); }

TEST_CASE("the approximation is a function of its own") {
  check_tanh("x = 0, 1, -1, 3", exercise::given({4}, {0, 1, -1, 3}).values());
  check_tanh("9 random numbers", exercise::random({9}, 132, 1.5f).values());
}
