#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

// A rate for each of the updates, times 1000 for the comparer.
Tensor run(const std::vector<int>& updates, const std::function<double(int)>& rate) {
  std::vector<float> rates;
  for (int t : updates) rates.push_back(static_cast<float>(1000 * rate(t)));
  return Tensor::from({static_cast<int>(rates.size())}, rates);
}

// The paper's formula itself.
double noam(double t, double d, double w) {
  return std::pow(d, -0.5) * std::min(std::pow(t, -0.5), t * std::pow(w, -1.5));
}

const double factor = exercise::given(1.0f, 0.6f, 2.0f), rates[] = {7e-4 * factor, 0.02 * factor};

}  // namespace

TEST_CASE("the paper's peak is at t = K") {
  const int d = exercise::given(512, 100, 600), w = exercise::given(4000, 3000, 5000);
  COMPARE("peak times 1000, D = 512, K = 4000", run({w}, [&](int t) { return noam(t, d, w); }),
          run({w}, [&](int) { return exercise::noam_peak(d, w); }));
}

static void check_root(const std::string& name, double peak, int w) {
  const std::vector<int> updates = {1, 7, w - 1, w, w + 1, 2 * w, 1000, 3 * w, 10 * w, 100000};
  COMPARE(name, run(updates, [&](int t) { return peak * noam(t, 1, w) / noam(w, 1, w); }),
          run(updates, [&](int t) { return exercise::inverse_root(t, peak, w); }));
}

TEST_CASE("up linearly, down with the root") {
  const int w = exercise::given(40, 30, 50);
  check_root("rates times 1000, peak 0.0007", rates[0], w);
  check_root("rates times 1000, peak 0.02", rates[1], w);
  check_root("rates times 1000, peak 0.02, K = 4000", rates[1], exercise::given(4000, 3000, 5000));
}

TEST_CASE("without warm-up it stays at the peak") {
  COMPARE("rates times 1000, K = 0", run({1, 5, 300}, [](int) { return rates[0]; }),
          run({1, 5, 300}, [](int t) { return exercise::inverse_root(t, rates[0], 0); }));
}

TEST_CASE("up linearly, down half a cosine, then level") {
  const int w = exercise::given(10, 8, 14), n = exercise::given(90, 80, 99);
  const std::vector<int> updates = {1,  4,     w - 1, w,     w + 1, (w + n) / 2,
                                    70, n - 1, n,     n + 1, n + 60};
  double low = rates[1] / exercise::given(20.0f, 3.0f, 15.0f);
  const double lower = rates[0] * exercise::given(0.0f, 0.1f, 0.5f);
  const auto wanted = [&](int t) {
    const double angle = 3.14159265358979 * (std::min(t, n) - w) / double(n - w);
    return t < w ? rates[1] * t / w : low + (rates[1] - low) * std::pow(std::cos(angle / 2), 2);
  };
  const auto own = [&](int t) { return exercise::cosine(t, rates[1], low, w, n); };
  COMPARE("rates times 1000, low = peak / 20", run(updates, wanted), run(updates, own));
  low = 0;
  COMPARE("rates times 1000, low = 0", run(updates, wanted), run(updates, own));
  const int last = exercise::given(30000, 20000, 40000);
  const std::vector<int> of_many = {1, 25, last / 3, last - 1000, last, 2 * last};
  const auto falling = [&](int t) {
    const double angle = 3.14159265358979 * std::min(t, last) / last;
    return lower + (rates[0] - lower) * std::pow(std::cos(angle / 2), 2);
  };
  COMPARE("rates times 1000, K = 0, low = 0, the last at 30000", run(of_many, falling),
          run(of_many, [&](int t) { return exercise::cosine(t, rates[0], lower, 0, last); }));
}
