#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using exercise::Function, exercise::Numbers;

Numbers numbers(int count, std::uint64_t seed) {
  const std::vector<float> drawn = exercise::random({count}, seed).values();
  return Numbers(drawn.begin(), drawn.end());
}

double at(const Function& f, Numbers x, std::size_t i, double by) {
  x[i] += by;
  return f(x);
}

Tensor central(const Function& f, const Numbers& x, double eps) {
  std::vector<float> c;
  for (std::size_t i = 0; i < x.size(); ++i)
    c.push_back(static_cast<float>((at(f, x, i, eps) - at(f, x, i, -eps)) / (2 * eps)));
  return Tensor::from({static_cast<int>(c.size())}, c);
}

Tensor own_central(const Function& f, const Numbers& x, double eps) {
  const Numbers c = exercise::central_differences(f, x, eps);
  return Tensor::from({static_cast<int>(c.size())}, std::vector<float>(c.begin(), c.end()));
}

// 0 right, 1 wrong, 2 kink.
Tensor verdicts(const Function& f, const Numbers& x, const Numbers& g, double eps,
                double tolerance) {
  std::vector<float> found;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double up = (at(f, x, i, eps) - f(x)) / eps, down = (f(x) - at(f, x, i, -eps)) / eps;
    const double c = (up + down) / 2, gap = std::abs(up - down);
    const bool kink = gap > 0.1 * std::max({1.0, std::abs(up), std::abs(down)});
    const bool bad = std::abs(c - g[i]) > tolerance * std::max({1.0, std::abs(c), std::abs(g[i])});
    found.push_back(kink ? 2.0f : bad ? 1.0f : 0.0f);
  }
  return Tensor::from({static_cast<int>(found.size())}, found);
}

Tensor own_verdicts(const Function& f, const Numbers& x, const Numbers& g, double eps,
                    double tolerance) {
  std::vector<float> found;
  for (exercise::Verdict verdict : exercise::check_gradient(f, x, g, eps, tolerance))
    found.push_back(static_cast<float>(verdict));
  return Tensor::from({static_cast<int>(found.size())}, found);
}

// A factor of the functions, so that who does not call them does not know them.
double drawn_factor() { return exercise::given(1.0f, 0.5f, 2.0f); }

// Every input is mixed with the next: sum_i x_i^3 x_(i+1), times the factor.
double mixed(const Numbers& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * x[i] * x[i] * x[(i + 1) % x.size()];
  return drawn_factor() * sum;
}

Numbers gradient_of_mixed(const Numbers& x) {
  Numbers g;
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double before = x[(i + n - 1) % n];
    g.push_back(drawn_factor() * (3 * x[i] * x[i] * x[(i + 1) % n] + before * before * before));
  }
  return g;
}

double relus(const Numbers& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += double(i + 1) * std::max(0.0, x[i]);
  return drawn_factor() * sum;
}

}  // namespace

TEST_CASE("the central difference, of one input at a time") {
  const Numbers x = numbers(5, 41);
  COMPARE("c, eps = 1/4", central(mixed, x, 0.25), own_central(mixed, x, 0.25));
  COMPARE("c, eps = 1e-4", central(mixed, x, 1e-4), own_central(mixed, x, 1e-4));
}

TEST_CASE("a right gradient is right, and one wrong number is found") {
  const Numbers x = numbers(6, 42);
  Numbers g = gradient_of_mixed(x);
  COMPARE("verdicts on the right gradient", verdicts(mixed, x, g, 1e-5, 1e-6),
          own_verdicts(mixed, x, g, 1e-5, 1e-6));
  g[1] = -g[1];
  COMPARE("verdicts, the sign of g[1] is wrong", verdicts(mixed, x, g, 1e-5, 1e-6),
          own_verdicts(mixed, x, g, 1e-5, 1e-6));
  g[1] = -g[1];
  g[std::size_t(exercise::given(2, 0, 2))] += 0.5;
  g[std::size_t(exercise::given(4, 3, 5))] -= 0.5;
  COMPARE("verdicts, g[2] too large, g[4] too small", verdicts(mixed, x, g, 1e-5, 1e-6),
          own_verdicts(mixed, x, g, 1e-5, 1e-6));
}

TEST_CASE("at a kink no gradient is judged") {
  const Numbers kinds = {0.0, 1.5, -1.0, 0.0, 2e-5};
  const Numbers slopes = {1.0, 1.0, 0.0, 0.5,
                          0.8};  // at 0 the right one, the mean; the last is wrong
  const Ids order = exercise::shuffled({{1, 5}, {0, 1, 2, 3, 4}});
  Numbers x, g;
  for (int i = 0; i < 5; ++i) {
    x.push_back(kinds[std::size_t(order[i])]);
    g.push_back(drawn_factor() * (i + 1) * slopes[std::size_t(order[i])]);
  }
  COMPARE("verdicts on sum (i + 1) relu(x_i)", verdicts(relus, x, g, 1e-5, 1e-6),
          own_verdicts(relus, x, g, 1e-5, 1e-6));
}

TEST_CASE("large gradients are compared relatively, small ones absolutely") {
  const Function steep = [](const Numbers& x) {
    return std::exp(x[0]) + 1e-6 * std::sin(x[1]) - std::exp(x[2]);
  };
  const Numbers x = {9.0, 0.5, 8.5};
  const Numbers g = {std::exp(9.0) * (1 + 1e-5), 0.0, -std::exp(8.5) * (1 + 1e-5)};
  COMPARE("verdicts, all within the tolerance", verdicts(steep, x, g, 1e-4, 1e-4),
          own_verdicts(steep, x, g, 1e-4, 1e-4));
  const Numbers off = {std::exp(9.0) * (1 + 1e-3), 0.01, -std::exp(8.5) * (1 + 1e-3)};
  COMPARE("verdicts, all outside of it", verdicts(steep, x, off, 1e-4, 1e-4),
          own_verdicts(steep, x, off, 1e-4, 1e-4));
}

TEST_CASE("both limits, just inside and just outside") {
  const Function bent = [](const Numbers& x) {
    return 0.04 * std::abs(x[0]) + 0.07 * std::abs(x[1]) + 100 * x[2] + 4.5 * std::abs(x[2]) +
           100 * x[3] + 6 * std::abs(x[3]) + 100 * x[4] - 5 * std::abs(x[4]) + 100 * x[5] -
           6 * std::abs(x[5]);
  };
  const Numbers none(6, 0.0), means = {0, 0, 100, 100, 100, 100};
  COMPARE("verdicts on bends", verdicts(bent, none, means, 1e-4, 1e-6),
          own_verdicts(bent, none, means, 1e-4, 1e-6));
  const Function flat = [](const Numbers& x) {
    return 10 * (x[0] + x[1] + x[2] + x[3]) + 0.1 * (x[4] + x[5]) - 10 * (x[6] + x[7] + x[8]);
  };
  const Numbers x = numbers(9, 43);
  const Numbers g = {5.5, 4.5, 18, 22, 0.55, 0.65, -4.5, -18, -22};
  COMPARE("verdicts, tolerance 1/2", verdicts(flat, x, g, 1e-4, 0.5),
          own_verdicts(flat, x, g, 1e-4, 0.5));
}
