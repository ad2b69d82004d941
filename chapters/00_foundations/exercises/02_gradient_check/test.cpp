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

// A factor of each of six terms of the functions, 0.5 to 2, and how far off each number of a
// gradient is that is not right.
Numbers factors() {
  Random source(exercise::salted(44));
  Numbers all;
  for (int i = 0; i < 6; ++i) all.push_back(static_cast<float>(source.uniform(0.5, 2)));
  return all;
}
// Without XF_SALT, number 2 is too large and number 4 too small.
std::vector<float> errors() {
  const std::vector<int> order = exercise::order(6, 45);
  std::vector<float> all(6, 0.0f);
  all[std::size_t(order[2])] = 0.5f, all[std::size_t(order[4])] = -0.5f;
  return all;
}
// Every input is mixed with the next: the sum of all x_i^3 x_(i+1), each times its factor.
double mixed(const Numbers& x) {
  const Numbers times = factors();
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += times[i % 6] * x[i] * x[i] * x[i] * x[(i + 1) % x.size()];
  return sum;
}

Numbers gradient_of_mixed(const Numbers& x) {
  const Numbers times = factors();
  Numbers g;
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t last = (i + n - 1) % n;
    g.push_back(times[i % 6] * 3 * x[i] * x[i] * x[(i + 1) % n] +
                times[last % 6] * x[last] * x[last] * x[last]);
  }
  return g;
}

// The sum of all x_i^3, each times its factor: at 0 the curve is flat, and c is eps^2 there.
double cubes(const Numbers& x) {
  const Numbers times = factors();
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += times[i] * x[i] * x[i] * x[i];
  return sum;
}

double relus(const Numbers& x) {
  const Numbers times = factors();
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += times[i] * double(i + 1) * std::max(0.0, x[i]);
  return sum;
}

const std::string told = "verdicts (0 right, 1 wrong, 2 kink) ";

}  // namespace

TEST_CASE("the central difference, of one input at a time") {
  const Numbers x = numbers(exercise::given(5, 4, 6), 41);
  const double eps = exercise::given(0.25f, 0.1f, 0.4f);
  COMPARE("c, eps = 1/4", central(mixed, x, eps), own_central(mixed, x, eps));
  COMPARE("c, eps = 1e-4", central(mixed, x, 1e-4), own_central(mixed, x, 1e-4));
}

TEST_CASE("a correct gradient passes, and a single wrong number is found") {
  const Numbers x = numbers(6, 42);
  using Change = std::function<void(Numbers & g)>;
  const auto wanted = [&](const Change& change) {
    Numbers g = gradient_of_mixed(x);
    change(g);
    return verdicts(mixed, x, g, 1e-5, 1e-6);
  };
  const auto own = [&](const Change& change) {
    Numbers g = gradient_of_mixed(x);
    change(g);
    return own_verdicts(mixed, x, g, 1e-5, 1e-6);
  };
  const auto add = [](Numbers& g, const std::vector<float>& errors) {
    for (std::size_t i = 0; i < g.size(); ++i) g[i] += errors[i];
  };
  COMPARE(told + "on the right gradient", wanted([](Numbers&) {}), own([](Numbers&) {}));
  COMPARE(told + "where the sign of g[1] is wrong", wanted([](Numbers& g) { g[1] = -g[1]; }),
          own([](Numbers& g) { g[1] = -g[1]; }));
  COMPARE(told + "where g[2] is too large, g[4] too small",
          wanted([&](Numbers& g) { add(g, errors()); }),
          own([&](Numbers& g) { add(g, errors()); }));
}

TEST_CASE("at a kink no gradient is judged") {
  const Numbers kinds = {0.0, 1.5, -1.0, 0.0, 2e-5};
  const Numbers slopes = {1.0, 1.0, 0.0, 0.5,
                          0.8};  // at 0 the right one, the mean; the last is wrong
  const Ids order = exercise::shuffled({{1, 5}, {0, 1, 2, 3, 4}});
  Numbers x;
  for (int i = 0; i < 5; ++i) x.push_back(kinds[std::size_t(order[i])]);
  const auto gradient = [&] {
    const Numbers times = factors();
    Numbers g;
    for (int i = 0; i < 5; ++i)
      g.push_back(times[std::size_t(i)] * (i + 1) * slopes[std::size_t(order[i])]);
    return g;
  };
  COMPARE(told + "on sum (i + 1) relu(x_i)", verdicts(relus, x, gradient(), 1e-5, 1e-6),
          own_verdicts(relus, x, gradient(), 1e-5, 1e-6));
}

TEST_CASE("eps sets how wide the differences are") {
  const double eps = exercise::given(0.2f, 0.05f, 0.3f);
  // Within eps of the kink, and beyond. A gap is half a slope of 0.5 at least, or nothing.
  const Numbers near = {0.5 * eps, 1.5 * eps, -0.5 * eps, -1.5 * eps};
  const auto slopes = [] {
    const Numbers times = factors();
    return Numbers{times[0], 2 * times[1], 0, 0};
  };
  COMPARE(told + "on relus, eps = 0.2", verdicts(relus, near, slopes(), eps, 1e-6),
          own_verdicts(relus, near, slopes(), eps, 1e-6));
  const Numbers flat(4, 0.0);  // both differences are the factor times eps^2: no kink
  const auto gradient = [=] {
    const Numbers times = factors();
    return Numbers{0, times[1] * eps * eps, 0, times[3] * eps * eps};
  };
  COMPARE(told + "on cubes, eps = 0.2", verdicts(cubes, flat, gradient(), eps, 1e-6),
          own_verdicts(cubes, flat, gradient(), eps, 1e-6));
}

TEST_CASE("large gradients are compared relatively, small ones absolutely") {
  const Function steep = [](const Numbers& x) {
    return std::exp(x[0]) + 1e-6 * std::sin(x[1]) - std::exp(x[2]);
  };
  const Numbers x = {9.0, 0.5, 8.5};
  const Numbers g = {std::exp(9.0) * (1 + 1e-5), 0.0, -std::exp(8.5) * (1 + 1e-5)};
  COMPARE(told + "where all are within the tolerance", verdicts(steep, x, g, 1e-4, 1e-4),
          own_verdicts(steep, x, g, 1e-4, 1e-4));
  const Numbers off = {std::exp(9.0) * (1 + 1e-3), 0.01, -std::exp(8.5) * (1 + 1e-3)};
  COMPARE(told + "where all are outside of it", verdicts(steep, x, off, 1e-4, 1e-4),
          own_verdicts(steep, x, off, 1e-4, 1e-4));
}

TEST_CASE("both limits, just inside and just outside") {
  const Function bent = [](const Numbers& x) {
    return 0.04 * std::abs(x[0]) + 0.07 * std::abs(x[1]) + 100 * x[2] + 5 * std::abs(x[2]) +
           100 * x[3] + 6 * std::abs(x[3]) + 100 * x[4] - 5 * std::abs(x[4]) - 100 * x[5] +
           5 * std::abs(x[5]) - 100 * x[6] - 6 * std::abs(x[6]) + std::min(0.0, x[7]) + 100 * x[8] -
           6 * std::abs(x[8]);
  };
  const Numbers none(9, 0.0), means = {0, 0, 100, 100, 100, -100, -100, 0.5, 100};
  COMPARE(told + "on bends", verdicts(bent, none, means, 1e-4, 1e-6),
          own_verdicts(bent, none, means, 1e-4, 1e-6));
  const Numbers slopes = {10, 10, 10, 10, 0.1, 0.1, -10, -10, -10};
  const Function flat = [&](const Numbers& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += slopes[i % 9] * x[i];
    return sum;
  };
  const Numbers x = numbers(exercise::given(9, 18, 30), 43);
  const Numbers some = {5.5, 4.5, 18, 22, 0.55, 0.65, -4.5, -18, -22};
  Numbers g;
  for (std::size_t i = 0; i < x.size(); ++i) g.push_back(some[i % 9]);
  const double tolerance = exercise::given(0.5f, 0.3f, 0.42f);
  COMPARE(told + "with a tolerance of 1/2", verdicts(flat, x, g, 1e-4, tolerance),
          own_verdicts(flat, x, g, 1e-4, tolerance));
}
