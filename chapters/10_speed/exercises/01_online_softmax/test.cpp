#include "support/test.hpp"
#include "exercise.hpp"

#include <numeric>

using namespace xf;

namespace {

using exercise::Running;
using Row = std::vector<float>;

const float none = -std::numeric_limits<float>::infinity();

// (m, l) of the numbers first to last, in two passes.
Row two_passes(const Row& x, std::size_t first, std::size_t last) {
  float largest = none;
  double total = 0;
  for (std::size_t i = first; i < last; ++i) largest = std::max(largest, x[i]);
  for (std::size_t i = first; i < last; ++i)
    total += x[i] == none ? 0 : std::exp(double(x[i]) - largest);
  return {largest, float(total)};
}

Row numbers(const Running& r) { return {r.largest, r.total}; }

Running read(const Row& x, std::size_t first, std::size_t last) {
  Running running;
  for (std::size_t i = first; i < last; ++i) exercise::take(running, x[i]);
  return running;
}

Tensor list(const Row& x) { return Tensor::from({int(x.size())}, x); }

// m and l after each number.
void check_take(const std::string& what, const Row& x) {
  const auto all = [&](auto&& pair) {
    Row found;
    for (std::size_t n = 1; n <= x.size(); ++n)
      for (float each : pair(n)) found.push_back(each);
    return list(found);
  };
  COMPARE("m, l after each of " + what, all([&](std::size_t n) { return two_passes(x, 0, n); }),
          all([&](std::size_t n) { return numbers(read(x, 0, n)); }));
}

void check_together(const std::string& what, const Row& x, std::size_t cut) {
  const auto own = [&] { return read(x, 0, cut); };
  const auto other = [&] { return read(x, cut, x.size()); };
  COMPARE("m, l of both parts, " + what, list(two_passes(x, 0, x.size())),
          list(numbers(exercise::together(own(), other()))));
  COMPARE("m, l in the other order, " + what, list(two_passes(x, 0, x.size())),
          list(numbers(exercise::together(other(), own()))));
}

void check_softmax(const std::string& what, const Row& x, const std::vector<int>& parts) {
  const auto wanted = [&] {
    const Row both = two_passes(x, 0, x.size());
    Row y;
    for (float each : x)
      y.push_back(each == none ? 0 : float(std::exp(double(each) - both[0]) / double(both[1])));
    return list(y);
  };
  COMPARE("weights, " + what, wanted(), list(exercise::softmax(x, parts)));
}

Row random(int count, std::uint64_t seed, float deviation = 2) {
  return exercise::random({count}, seed, deviation).values();
}

// The sizes of these parts; with XF_SALT, of others, and more.
std::vector<int> given(std::vector<int> parts) {
  if (exercise::salted(0) == 0) return parts;
  Random source(exercise::salted(parts.size()));
  parts.resize(parts.size() + std::size_t(1 + source.below(6)));
  for (int& part : parts) part = 1 + source.below(exercise::given(7));
  return parts;
}

// As many numbers as the parts have.
int all_of(const std::vector<int>& parts) { return std::accumulate(parts.begin(), parts.end(), 0); }

Row masked(Row x, const std::vector<std::size_t>& places) {
  for (std::size_t place : places) x[place] = none;
  return x;
}

}  // namespace

TEST_CASE("one number after another") {
  check_take("1, 3, 2, 5", exercise::given({4}, {1, 3, 2, 5}).values());
  check_take("5, 3, -1, -2", exercise::given({4}, {5, 3, -1, -2}).values());
  check_take("7 random numbers", random(exercise::given(7, 7, 30), 241));
}

TEST_CASE("two parts give the whole, in any order") {
  const int first = exercise::given(3, 1, 12);
  check_together("3 and 5 numbers", random(first + exercise::given(5, 1, 12), 242),
                 std::size_t(first));
  check_together("all of about -40", exercise::given({4}, {-40, -42, -39, -41}).values(), 2);
}

TEST_CASE("masked scores count for nothing, even at the beginning") {
  const auto place = [](int usual, int low, int high) {
    return std::size_t(exercise::within(usual, low, high));
  };
  check_take("3 masked of 6",
             masked(random(exercise::given(6, 10, 20), 243), {0, place(1, 1, 4), place(4, 5, 9)}));
  check_together("a part all masked", masked(random(exercise::given(5), 244), {0, 1, 2}), 3);
  check_together("an empty part", random(exercise::given(4), 245), 0);
  const Row all_masked(std::size_t(exercise::given(5)), none);
  check_together("both parts all masked", all_masked, 2);
  check_together("one part all masked, one empty", all_masked, 0);
  check_together("both parts empty", {}, 0);
}

TEST_CASE("the weights, from parts of any size") {
  const std::vector<int> three = given({4, 1, 3}), others = given({2, 2, 5});
  check_softmax("parts of 4, 1, 3", random(all_of(three), 246), three);
  const int numbers = all_of(others);
  const Row some = masked(random(numbers, 247), {0, 1, std::size_t(numbers - 3)});
  check_softmax("parts of 2, 2, 5, some masked", some, others);
  std::vector<int> with_empty_ones = {0};  // the first, the last, and between two others
  for (const int part : given({2, 3})) with_empty_ones.insert(with_empty_ones.end(), {part, 0});
  check_softmax("parts of 0, 2, 0, 3, 0", random(all_of(with_empty_ones), 249), with_empty_ones);
}

TEST_CASE("large scores stay finite") {
  const std::vector<int> parts = given({3, 3});
  check_softmax("scores of several hundred", random(all_of(parts), 248, 400), parts);
}

TEST_CASE("a row without a visible key has weights of 0") {
  const std::vector<int> parts = given({2, 3});
  check_softmax("all masked", Row(std::size_t(all_of(parts)), none), parts);
}
