#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Numbers = std::vector<double>;

Numbers numbers(int count, std::uint64_t seed, double deviation = 1) {
  const std::vector<float> drawn = exercise::random({count}, seed).values();
  Numbers scaled(drawn.begin(), drawn.end());
  for (double& x : scaled) x *= deviation;
  return scaled;
}

// With XF_SALT, others: each is read from `adam`.
exercise::Adam given(float beta1, float beta2, float eps) {
  return {.beta1 = exercise::given(beta1, beta1 - 0.08f, beta1 + 0.05f),
          .beta2 = exercise::given(beta2, beta2 - 0.04f, beta2 + 0.01f),
          .eps = exercise::given(eps, 0.5f * eps, 3 * eps),
          .m = {},
          .v = {}};
}

// The means as sums over all gradients so far: m_t = (1 - b) sum_s b^(t - s) g_s. Returns p; with
// `part`, m or v of it.
Tensor after(const exercise::Adam& fresh, const Numbers& start,
             const std::vector<Numbers>& gradients, const Numbers& rates, char part) {
  const double beta1 = fresh.beta1, beta2 = fresh.beta2, eps = fresh.eps;
  std::vector<float> out;
  for (std::size_t i = 0; i < start.size(); ++i) {
    double p = start[i], m = 0, v = 0;
    for (std::size_t t = 1; t <= gradients.size(); ++t) {
      m = v = 0;
      for (std::size_t s = 1; s <= t; ++s) {
        m += (1 - beta1) * std::pow(beta1, double(t - s)) * gradients[s - 1][i];
        v += (1 - beta2) * std::pow(beta2, double(t - s)) * std::pow(gradients[s - 1][i], 2);
      }
      const double root = std::sqrt(v / (1 - std::pow(beta2, double(t))));
      p -= rates[t - 1] * m / (1 - std::pow(beta1, double(t))) / (root + eps);
    }
    out.push_back(static_cast<float>(part == 'm' ? m : part == 'v' ? v : p));
  }
  return Tensor::from({static_cast<int>(out.size())}, out);
}

Tensor list(const Numbers& x) {
  return Tensor::from({static_cast<int>(x.size())}, std::vector<float>(x.begin(), x.end()));
}

void check(const std::string& what, const Numbers& start, const std::vector<Numbers>& gradients,
           const Numbers& usual_rates, const exercise::Adam& fresh = given(0.9f, 0.98f, 1e-3f)) {
  Numbers rates;
  for (double rate : usual_rates) rates.push_back(rate * exercise::given(1.0f, 0.6f, 1.6f));
  Numbers p = start;
  exercise::Adam adam = fresh;
  const auto own = [&] {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      exercise::update(adam, p, gradients[i], rates[i]);
    return list(p);
  };
  COMPARE("p, " + what, after(fresh, start, gradients, rates, 'p'), own());
  COMPARE("m, " + what, after(fresh, start, gradients, rates, 'm'), list(adam.m));
  COMPARE("v, " + what, after(fresh, start, gradients, rates, 'v'), list(adam.v));
  COMPARE("t, " + what, Tensor::full({1}, static_cast<float>(gradients.size())),
          Tensor::full({1}, static_cast<float>(adam.t)));
}

}  // namespace

TEST_CASE("the first step is as large as the rate") {
  const int n = exercise::given(3, 3, 12);
  check("1 step, N = 3", numbers(n, 161), {numbers(n, 162)}, {0.5});
}

TEST_CASE("several steps, with gradients and rates that change") {
  const int n = exercise::given(2, 2, 12);
  check("4 steps, N = 2", numbers(n, 163),
        {numbers(n, 164), numbers(n, 165), numbers(n, 166), numbers(n, 167)},
        {0.1, 0.3, 0.2, 0.05});
  const auto gradients = [](std::size_t steps) {
    std::vector<Numbers> all;
    for (std::uint64_t t = 0; t < steps; ++t) all.push_back(numbers(3, 174 + t, 0.1));
    return all;
  };
  Numbers rates = {0.2, 0.1, 0.3};
  rates.resize(std::size_t(exercise::given(3, 5, 12)), 0.15);
  check("3 steps, beta1 0.7, beta2 0.9, eps 0.02", numbers(3, 173), gradients(rates.size()), rates,
        given(0.7f, 0.9f, 0.02f));
  rates.resize(std::size_t(exercise::given(60, 50, 100)), 0.05);
  check("60 steps", numbers(3, 173), gradients(rates.size()), rates);
}

TEST_CASE("large and small gradients give similar steps; 0 gives none") {
  check("gradients of 1000", numbers(4, 168), {numbers(4, 169, 1000), numbers(4, 170, 1000)},
        {0.1, 0.1});
  // So small that a larger eps would shorten the steps.
  check("gradients of 0.00001, eps 1e-9", numbers(4, 280),
        {numbers(4, 281, 1e-5), numbers(4, 282, 1e-5)}, {0.1, 0.1}, given(0.9f, 0.98f, 1e-9f));
  check("a gradient of 0", numbers(2, 171), {{0, 0}, {0, 0}}, {0.1, 0.1});
}

TEST_CASE("minimize: down into a narrow valley") {
  const float slope = exercise::given(2.0f, 1.0f, 3.0f),
              wall = exercise::given(200.0f, 100.0f, 300.0f);
  const exercise::GradientOf valley = [&](const Numbers& p) {
    Numbers g = {double(slope) * p[0]};
    for (std::size_t i = 1; i < p.size(); ++i) g.push_back(double(wall) * (p[i] - p[0]));
    return g;
  };
  const Numbers start = numbers(exercise::given(2, 3, 9), 172);
  Numbers rates = {0.3, 0.3, 0.2, 0.2, 0.1, 0.1, 0.05};
  rates.resize(std::size_t(exercise::given(7, 5, 10)), 0.02);
  const exercise::Adam fresh = given(0.8f, 0.95f, 2e-3f);
  const auto wanted = [&] {
    std::vector<Numbers> gradients;
    for (std::size_t t = 0; t < rates.size(); ++t) {
      const std::vector<float> p = after(fresh, start, gradients, rates, 'p').values();
      gradients.push_back(valley({p.begin(), p.end()}));
    }
    return after(fresh, start, gradients, rates, 'p');
  };
  exercise::Adam adam = fresh;
  COMPARE("p after 7 steps", wanted(), list(exercise::minimize(adam, start, valley, rates)));
  const auto in_two_calls = [&] {
    exercise::Adam one = fresh;
    const auto cut = rates.begin() + exercise::within(3, 1, 4);
    const Numbers first(rates.begin(), cut), rest(cut, rates.end());
    return list(
        exercise::minimize(one, exercise::minimize(one, start, valley, first), valley, rest));
  };
  COMPARE("p after 3 steps and 4 more", wanted(), in_two_calls());
}
