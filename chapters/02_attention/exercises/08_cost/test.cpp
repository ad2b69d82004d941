#include "support/test.hpp"
#include "exercise.hpp"

#include <chrono>

using namespace xf;

namespace {

// A number that counts its multiply-adds.
struct Counted {
  double value = 0;
  static inline double multiply_adds = 0;
  void add(const Counted& a, const Counted& b) {
    value += a.value * b.value;
    multiply_adds += 1;
  }
};
using Rows = std::vector<std::vector<Counted>>;

Rows some(int rows, int columns) {
  return Rows(static_cast<std::size_t>(rows),
              std::vector<Counted>(static_cast<std::size_t>(columns)));
}

Rows product(const Rows& a, const Rows& b) {
  Rows y = some(static_cast<int>(a.size()), static_cast<int>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t c = 0; c < b.size(); ++c) y[i][j].add(a[i][c], b[c][j]);
  return y;
}

double counted(const std::function<void()>& work) {
  Counted::multiply_adds = 0;
  work();
  return Counted::multiply_adds;
}

Tensor pair(double one, double other) {
  return Tensor::from({2}, {static_cast<float>(one), static_cast<float>(other)});
}
Tensor single(double x) { return Tensor::from({1}, {static_cast<float>(x)}); }

Tensor counts(int t, int d) {
  const double projection = counted([&] { product(some(t, d), some(d, d)); });
  const double scores = counted([&] { product(some(t, d), some(d, t)); });
  const double mixing = counted([&] { product(some(t, t), some(t, d)); });
  return pair(4 * projection, scores + mixing);
}

// Of exact powers the fit is known; of others it is worked out by weights of the logarithms.
Tensor fitted(const std::vector<double>& sizes, const std::vector<double>& costs) {
  double s = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double u = std::log(sizes[i]), v = std::log(costs[i]);
    s += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  const double b = (s * xy - x * y) / (s * xx - x * x);
  return pair(std::exp((y - b * x) / s), b);
}

Tensor of(const exercise::Power& power) { return pair(power.factor, power.exponent); }

// A machine on which the time is known: the first run of a size is slow, and now and then something
// else gets the processor.
struct Machine {
  double now = 100, exponent;
  int runs = 0, last = 0;
  exercise::Notes asked;  // the sizes, in order; 0 for a look at the clock
  Random random;

  Machine(double power, std::uint64_t seed) : exponent(power), random(exercise::salted(seed)) {}

  void work(int size) {
    const double time = 1e-6 * std::pow(size, exponent);
    const bool first = size != last, disturbed = ++runs % 3 == 0;
    now += time * (first ? 9 : disturbed ? random.uniform(2, 6) : 1);
    last = size;
    asked.note({static_cast<float>(size)});
  }
  double clock() {
    asked.note({0});
    return now;
  }
};

Tensor list(const std::vector<float>& numbers) {
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

// What a measurement of these sizes asks of it.
std::vector<float> runs(const std::vector<int>& sizes, int repeats) {
  std::vector<float> all;
  for (const int each : sizes) {
    const auto size = static_cast<float>(each);
    all.push_back(size);
    for (int repeat = 0; repeat < repeats; ++repeat) all.insert(all.end(), {0, size, 0});
  }
  return all;
}

// Scores, softmax and mixing of t words, d_k = d_v = 8, in plain loops on one thread: short enough
// that on a busy machine, too, some runs are not interrupted.
void attend(int t) {
  const std::size_t words = std::size_t(t), width = 8;
  const std::vector<float> q(words * width, 0.5f);
  std::vector<float> scores(words), y(words * width, 0.0f);
  for (std::size_t i = 0; i < words; ++i) {
    float total = 0;
    for (std::size_t j = 0; j < words; ++j) {
      float score = 0;
      for (std::size_t c = 0; c < width; ++c) score += q[i * width + c] * q[j * width + c];
      total += scores[j] = std::exp(score);
    }
    for (std::size_t j = 0; j < words; ++j)
      for (std::size_t c = 0; c < width; ++c)
        y[i * width + c] += scores[j] / total * q[j * width + c];
  }
}

// The exponent of the counted operations over three ranges of T, at D = 64: it is not 2, nor 1.
const std::vector<double> firsts = {4, 64, 2048};

std::vector<double> lengths(double first) { return {first, 2 * first, 4 * first, 8 * first}; }

std::vector<double> each_of(std::vector<double> numbers,
                            const std::function<double(double)>& function) {
  for (double& number : numbers) number = function(number);
  return numbers;
}

double own_exponent(double first) {
  const auto own = [](double t) {
    const exercise::Cost both = exercise::cost(static_cast<int>(t), 64);
    return both.projections + both.square;
  };
  return exercise::fit(lengths(first), each_of(lengths(first), own)).exponent;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

TEST_CASE("the multiply-adds, counted one by one") {
  const int t = exercise::given(5, 4, 9), d = exercise::given(7, 5, 8);
  COMPARE("projections and square, T = 5, D = 7", counts(t, d),
          pair(exercise::cost(t, d).projections, exercise::cost(t, d).square));
  COMPARE("projections and square, T = 30, D = 4", counts(30, 4),
          pair(exercise::cost(30, 4).projections, exercise::cost(30, 4).square));
  COMPARE("projections and square, T = 200000, D = 64", pair(3.2768e9, 5.12e12),
          pair(exercise::cost(200000, 64).projections, exercise::cost(200000, 64).square));
}

TEST_CASE("from what length the square costs more") {
  const int d = exercise::given(64, 32, 128);
  COMPARE("T, D = 64", single(d + d), single(exercise::crossing(d)));
  COMPARE("T, D = 7", single(14), single(exercise::crossing(7)));
}

TEST_CASE("fitting a power law") {
  const double power = exercise::given(1.7f, 1.2f, 2.6f),
               factor = exercise::given(0.3f, 0.1f, 5.0f);
  std::vector<double> sizes = {3, 10, 40, 500};
  for (int i = exercise::given(0, 1, 4); i > 0; --i) sizes.push_back(20 * i + exercise::given(1));
  std::vector<double> costs;
  for (double size : sizes) costs.push_back(factor * std::pow(size, power));
  COMPARE("factor and exponent of an exact power", pair(factor, power),
          of(exercise::fit(sizes, costs)));
  const std::vector<double> two = {sizes[1], sizes[3]}, cost_of_two = {costs[1], costs[3]};
  COMPARE("factor and exponent of two points", pair(factor, power),
          of(exercise::fit(two, cost_of_two)));
  Random random(exercise::salted(371));
  for (double& each : costs) each *= random.uniform(0.5, 2);
  COMPARE("factor and exponent of a disturbed one", fitted(sizes, costs),
          of(exercise::fit(sizes, costs)));
}

TEST_CASE("the exponent of attention as a whole depends on the lengths") {
  const auto total = [](double t) { return 16384 * t + 128 * t * t; };
  for (double first : firsts) {
    const int t = static_cast<int>(first);
    COMPARE("exponent from T = " + std::to_string(t) + " to " + std::to_string(8 * t),
            slice(fitted(lengths(first), each_of(lengths(first), total)), 0, 1, 1),
            single(own_exponent(first)));
  }
}

TEST_CASE("a time is the shortest of several, after a run that is not counted") {
  Machine machine(2, 372);
  const int size = exercise::given(300, 200, 400), repeats = exercise::given(4, 5, 9);
  const auto own = [&] {
    return exercise::seconds([&] { machine.work(size); }, [&] { return machine.clock(); }, repeats);
  };
  COMPARE("1000 seconds", single(1000 * 1e-6 * size * size), single(1000 * own()));
  COMPARE("runs (size) and looks at the clock (0)", list(runs({size}, repeats)),
          machine.asked.all());
}

TEST_CASE("the exponent of measured times") {
  const double power = exercise::given(1.9f, 1.5f, 2.4f);
  Machine machine(power, 373);
  std::vector<int> sizes = {50, 100, 200, 400};
  for (int i = exercise::given(0, 1, 4); i > 0; --i) sizes.push_back(sizes.back() + 100);
  const int repeats = exercise::given(5, 6, 9);
  COMPARE("exponent on a disturbed machine", single(power),
          single(exercise::measured([&](int t) { machine.work(t); }, sizes,
                                    [&] { return machine.clock(); }, repeats)));
  COMPARE("runs (size) and looks at the clock (0) of all sizes", list(runs(sizes, repeats)),
          machine.asked.all());
  // What it is, is not judged: whatever else runs here has a say in it.
  const auto on_this_machine = [] {
    for (double first : firsts)
      std::printf("multiply-adds of all, D = 64, T = %.0f to %.0f: T^%.2f\n", first, 8 * first,
                  own_exponent(first));
    const double exponent = exercise::measured(attend, {8, 16, 32, 64}, now, 60);
    std::printf("softmax(q k^T) v, T = 8 to 64, on this machine: T^%.2f\n", exponent);
    return single(std::isfinite(exponent));
  };
  COMPARE("1: the exponent on this machine is a number", single(1), on_this_machine());
}
