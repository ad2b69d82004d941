#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::given, exercise::Machine, exercise::Touch, exercise::Work;

namespace {

Tensor numbers(const std::vector<double>& list) {
  return Tensor::from({static_cast<int>(list.size())},
                      std::vector<float>(list.begin(), list.end()));
}

// ---- least_seconds
// -------------------------------------------------------------------------------

// A clock that only the work moves, by a number of its own each time; reading it takes a moment.
void check_seconds(const std::string& what, int runs, std::uint64_t seed) {
  std::vector<double> takes;
  Random random(exercise::salted(seed));
  for (int i = 0; i < 4 * runs + 4; ++i) takes.push_back(1 + double(random.below(9000)) / 1000);
  takes[0] = 0.25;  // the one that nobody times
  const auto wanted = [&] {
    const double least = *std::min_element(takes.begin() + 1, takes.begin() + 1 + runs);
    return numbers({least + 0.001, double(runs + 1), 2.0 * runs});
  };
  const auto own = [&] {
    double now = 100;
    std::size_t done = 0;
    int asked = 0;
    const auto clock = [&] {
      ++asked;
      return now += 0.001;
    };
    const double least = exercise::least_seconds(clock, runs, [&] { now += takes[done++]; });
    return numbers({least, double(done), double(asked)});
  };
  COMPARE("seconds, how often it worked, how often the clock was read, " + what, wanted(), own());
}

// ---- multiply_adds
// -------------------------------------------------------------------------------

void check_chains(const std::string& what, float start, float factor, int steps) {
  const auto wanted = [&] {
    double sum = 0;
    for (int c = 0; c < exercise::chains; ++c) {
      double x = double(start) + c;
      for (int i = 0; i < steps; ++i) x = x * double(factor) + double(factor);
      sum += x;
    }
    return numbers({sum});
  };
  COMPARE("the sum of 12 chains, " + what, wanted(),
          numbers({exercise::multiply_adds(start, factor, steps)}));
}

// ---- bytes_moved
// ---------------------------------------------------------------------------------

// With the moment of each line's last touch, and a search for the oldest.
std::int64_t moved(const std::vector<Touch>& touches, int lines) {
  struct Line {
    std::int64_t number;
    int last;
    bool dirty;
  };
  std::vector<Line> cache;
  std::int64_t bytes = 0;
  int moment = 0;
  for (const Touch& touch : touches) {
    auto line = std::find_if(cache.begin(), cache.end(),
                             [&](const Line& l) { return l.number == touch.place / 16; });
    if (line == cache.end()) {
      if (int(cache.size()) == lines) {
        const auto oldest =
            std::min_element(cache.begin(), cache.end(),
                             [](const Line& a, const Line& b) { return a.last < b.last; });
        bytes += oldest->dirty ? 64 : 0;
        cache.erase(oldest);
      }
      bytes += touch.write ? 0 : 64;
      cache.push_back({touch.place / 16, 0, false});
      line = cache.end() - 1;
    }
    line->last = ++moment;
    line->dirty |= touch.write;
  }
  for (const Line& line : cache) bytes += line.dirty ? 64 : 0;
  return bytes;
}

void check_bytes(const std::string& what, const std::vector<Touch>& touches, int lines) {
  COMPARE("lines moved, " + what, numbers({double(moved(touches, lines) / 64)}),
          numbers({double(exercise::bytes_moved(touches, lines)) / 64}));
}

// y = x + 1, then y = 2 y: in one pass over the numbers, or in two.
std::vector<Touch> passes(int count, bool fused) {
  std::vector<Touch> touches;
  const std::int64_t y = 16 * ((count + 15) / 16);
  for (int i = 0; i < count; ++i) {
    touches.push_back({i, false});
    touches.push_back({y + i, true});
  }
  for (int i = 0; i < count && !fused; ++i) {
    touches.push_back({y + i, false});
    touches.push_back({y + i, true});
  }
  return touches;
}

std::vector<Touch> drawn(int count, int places, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  std::vector<Touch> touches;
  for (int i = 0; i < count; ++i) {
    const bool write = random.below(3) == 0;
    touches.push_back({random.below(places), write});
  }
  return touches;
}

}  // namespace

TEST_CASE("least_seconds: one run to warm up, then the least") {
  check_seconds("5 runs", given(5), 1061);
  check_seconds("1 run", 1, 1062);
}

TEST_CASE("multiply_adds: chains that do not wait for each other") {
  check_chains("no step", given(0.5f, 0.2f, 0.9f), 0.5f, 0);
  check_chains("1 step", given(0.25f, 0.2f, 0.9f), 0.75f, 1);
  check_chains("7 steps", 0.5f, given(0.75f, 0.6f, 0.9f), given(7));
  COMPARE("operations of 1000 steps for each lane", numbers({24000}),
          numbers({exercise::operations_of(1000) / kernel::lanes}));
  constexpr int many = (1 << 28) + 1000;  // whose operations do not fit into an int
  COMPARE("operations of 2^28 + 1000 steps for each lane", numbers({24.0 * many}),
          numbers({exercise::operations_of(many) / kernel::lanes}));
}

TEST_CASE("scaled: every number, and none beyond the end") {
  for (const int count : {1, given(7), 64, given(129)}) {
    const Tensor x = exercise::random({count}, 1063);
    const auto own = [&] {
      std::vector<float> to(std::size_t(count) + 20, 9.0f);
      exercise::scaled(x.values().data(), 1.5f, to.data(), count);
      return Tensor::from({count + 20}, to);
    };
    const auto wanted = [&] {
      std::vector<double> list;
      for (float each : x.values()) list.push_back(1.5 * each);
      list.resize(std::size_t(count) + 20, 9);
      return numbers(list);
    };
    COMPARE(std::to_string(count) + " numbers and 20 behind them", wanted(), own());
  }
}

TEST_CASE("bytes_moved: what a cache keeps, and what it must fetch again") {
  const int many = 16 * given(20);
  check_bytes("one pass, 4 lines", passes(many, true), 4);
  check_bytes("two passes, 4 lines", passes(many, false), 4);
  check_bytes("two passes, everything fits", passes(many, false), 100);
  check_bytes("a line read again and again", {{3, false}, {5, false}, {15, false}, {3, false}}, 1);
  check_bytes("two lines in turn, room for one", {{3, false}, {16, false}, {3, false}}, 1);
  check_bytes("read, written and thrown out", {{3, false}, {4, true}, {16, false}, {32, false}}, 2);
  check_bytes("written, thrown out clean later",
              {{3, true}, {16, false}, {32, false}, {3, false}, {48, false}, {64, false}}, 2);
  check_bytes("the one read first was touched last",
              {{0, false}, {16, false}, {1, false}, {32, false}, {2, false}, {17, false}}, 2);
  check_bytes("200 touches, 5 lines", drawn(200, 16 * 9, 1064), 5);
  check_bytes("300 touches, 8 lines", drawn(300, 16 * 14, 1065), 8);
}

TEST_CASE("roof and fraction: the lower of two limits") {
  const Machine machine{given(20.0f, 10.0f, 30.0f) * 1.0, given(100.0f, 90.0f, 120.0f) * 1.0};
  const auto limit = [&](const Work& work) {
    return std::min(machine.operations_per_second,
                    work.operations / (work.bytes / machine.bytes_per_second));
  };
  for (const auto& [what, work] : {std::pair{"little arithmetic", Work{800, 400}},
                                   {"much arithmetic", Work{10, 4000}},
                                   {"very little", Work{4000, 250}}}) {
    COMPARE("roof, " + std::string(what), numbers({limit(work)}),
            numbers({exercise::roof(machine, work)}));
    const double seconds = 1.6 * work.operations / limit(work);
    COMPARE("fraction at 1.6 times the least time, " + std::string(what), numbers({1 / 1.6}),
            numbers({exercise::fraction(machine, work, seconds)}));
  }
}
