#include "support/test.hpp"
#include "exercise.hpp"

#include <cfenv>
#include <list>
#include <set>

#include "tensor/parallel.hpp"

using namespace xf;
using exercise::given, exercise::ResidualNorm, exercise::Touched;

namespace {

using Numbers = std::vector<float>;

constexpr int behind = 40;  // numbers behind each matrix, which are nobody's

Tensor list(const Numbers& numbers) { return Tensor::from({int(numbers.size())}, numbers); }

// Matrices and vectors, each with NaN behind its end: what reads further has NaN in its sums. Far
// from 0 the numbers are whole sixty-fourths, whose sums are exact.
struct Case {
  int rows, columns;
  float eps;
  Numbers x, r, gamma, beta;

  Case(int rows, int columns, std::uint64_t seed, float mean = 0, float eps = 1e-5f)
      : rows(rows), columns(columns), eps(eps) {
    const auto fill = [&](Numbers& to, int count, std::uint64_t number, float offset) {
      to = exercise::random({count}, seed + number).values();
      for (float& each : to) each = mean == 0 ? each + offset : offset + std::round(each * 64) / 64;
      to.resize(to.size() + behind, std::nanf(""));
    };
    fill(x, rows * columns, 0, mean);
    fill(r, rows * columns, 1, 0);
    fill(gamma, columns, 2, 1);
    fill(beta, columns, 3, 0);
  }

  // s, then y, each with what stands behind it.
  Tensor expected() const {
    Numbers s, y;
    for (int row = 0; row < rows; ++row) {
      double sum = 0, squares = 0;
      for (int j = 0; j < columns; ++j) {
        const std::size_t at = std::size_t(row * columns + j);
        s.push_back(x[at] + r[at]);
        sum += s.back();
      }
      for (int j = 0; j < columns; ++j) {
        const double d = s[std::size_t(row * columns + j)] - sum / columns;
        squares += d * d;
      }
      for (int j = 0; j < columns; ++j) {
        const double n = (s[std::size_t(row * columns + j)] - sum / columns) /
                         std::sqrt(squares / columns + eps);
        y.push_back(float(gamma[std::size_t(j)] * n + beta[std::size_t(j)]));
      }
    }
    s.resize(s.size() + behind, 9);
    y.resize(y.size() + behind, 9);
    s.insert(s.end(), y.begin(), y.end());
    return list(s);
  }

  // The same by run(of), which is the learner's.
  template <class Run>
  Numbers own(const Run& run) const {
    Numbers s(x.size(), 9), y = s;
    run(ResidualNorm{x.data(), r.data(), gamma.data(), beta.data(), s.data(), y.data(), columns,
                     eps});
    s.insert(s.end(), y.begin(), y.end());
    return s;
  }
};

void check(const std::string& what, const Case& of) {
  const auto own = [&] {
    return list(of.own([&](const ResidualNorm& all) {
      exercise::Direct memory;
      exercise::residual_norm(memory, all, 0, of.rows);
    }));
  };
  COMPARE("s, y and what is beyond them, " + what, of.expected(), own());
}

// Of the rows [first, last) alone: what stands in the other rows stays.
void check_some_rows(const std::string& what, const Case& of, int first, int last) {
  const auto wanted = [&] {
    Numbers numbers = of.expected().values();
    const int all = of.rows * of.columns;
    for (int part : {0, all + behind})
      for (int i = 0; i < all; ++i)
        if (i / of.columns < first || i / of.columns >= last) numbers[std::size_t(part + i)] = 9;
    return list(numbers);
  };
  const auto own = [&] {
    return list(of.own([&](const ResidualNorm& all) {
      exercise::Direct memory;
      exercise::residual_norm(memory, all, first, last);
    }));
  };
  COMPARE("s and y, " + what, wanted(), own());
}

// How many numbers have other bits than with one thread.
Tensor differing(const Case& of) {
  const auto with = [&](int count) {
    set_threads(count);
    return of.own([&](const ResidualNorm& all) { exercise::residual_norm(all, of.rows); });
  };
  const Numbers one = with(1);
  Numbers counts;
  for (int count : {2, 3, 4}) {
    const Numbers several = with(count);
    int differ = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
      differ += std::memcmp(&one[i], &several[i], sizeof(float)) != 0;
    counts.push_back(float(differ));
  }
  set_threads(1);
  return list(counts);
}

// Lines of 16 numbers that go to and fro between memory and a cache of so many of them; a written
// line comes from nowhere.
double lines_moved(const std::vector<Touched>& touches, std::size_t lines) {
  struct Line {
    std::int64_t number;
    bool dirty;
  };
  std::list<Line> cache;
  double moved = 0;
  for (const Touched& touch : touches) {
    const std::int64_t number = touch.place / 16;
    const auto found = std::find_if(cache.begin(), cache.end(),
                                    [&](const Line& line) { return line.number == number; });
    if (found != cache.end()) {
      cache.splice(cache.begin(), cache, found);
    } else {
      moved += !touch.write;
      if (cache.size() == lines) {
        moved += cache.back().dirty;
        cache.pop_back();
      }
      cache.push_front({number, false});
    }
    cache.front().dirty |= touch.write;
  }
  for (const Line& line : cache) moved += line.dirty;
  return moved;
}

// What a recorded run adds to what must be: a line of x, r, s, y for each 16 numbers, and gamma and
// beta once. Up to a tenth more is none; the rest is named by how much it is of what must be.
Tensor waste(const Case& of, std::size_t lines) {
  exercise::Recorder recorder;
  of.own([&](const ResidualNorm& all) { exercise::residual_norm(recorder, all, 0, of.rows); });
  const double needed = (4.0 * of.rows * of.columns + 2.0 * of.columns) / 16;
  const double share = lines_moved(recorder.touches, lines) / needed;
  return list({share >= 0.95 && share <= 1.1 ? 1 : float(share)});
}

// How many numbers outside of the rows 1 and 2 of 4 are read or written, when only these two are
// asked for: they are another thread's, or nobody's. For gamma and beta, behind their end.
float touched_outside(const Case& of) {
  exercise::Recorder recorder;
  float outside = 0;
  of.own([&](const ResidualNorm& all) {
    exercise::residual_norm(recorder, all, 1, 3);
    const auto count = [&](const float* from, int first, int last, int end) {
      const auto place = std::int64_t(reinterpret_cast<std::intptr_t>(from) / 4);
      for (const Touched& touch : recorder.touches)
        outside += (touch.place >= place && touch.place < place + first) ||
                   (touch.place >= place + last && touch.place < place + end + behind);
    };
    for (const float* matrix :
         {all.x, all.r, static_cast<const float*>(all.s), static_cast<const float*>(all.y)})
      count(matrix, of.columns, 3 * of.columns, 4 * of.columns);
    for (const float* vector : {all.gamma, all.beta}) count(vector, 0, of.columns, of.columns);
  });
  return outside;
}

// With 2 threads, do both compute rows? The caller rounds up, the other to the nearest: rows of the
// caller alone have other last digits than before. Where rows are touched that are another
// thread's, which the test of odd sizes says, both may compute the same row, and chance would
// answer.
float both_compute(const Case& of) {
  if (touched_outside(Case(4, of.columns, 1096)) > 0) return 1;
  const auto run = [&] {
    return of.own([&](const ResidualNorm& all) { exercise::residual_norm(all, of.rows); });
  };
  set_threads(2);
  run_parallel(2, [](int) {});  // so that the other thread has begun, with its own rounding
  const Numbers nearest = run();
  const int usual = std::fegetround();
  std::fesetround(FE_UPWARD);
  const Numbers up = run();
  std::fesetround(usual);
  set_threads(1);
  int same = 0, other = 0;  // rows of y
  for (int row = 0; row < of.rows; ++row) {
    const std::size_t first = std::size_t((of.rows + row) * of.columns + behind);
    (std::memcmp(&nearest[first], &up[first], std::size_t(of.columns) * sizeof(float)) == 0
         ? same
         : other) += 1;
  }
  return same > 0 && other > 0;
}

// How often each number of x, r is read, and of s, y written: the fewest and the most.
Tensor times(const Case& of) {
  exercise::Recorder recorder;
  Numbers found;
  of.own([&](const ResidualNorm& all) {
    exercise::residual_norm(recorder, all, 0, of.rows);
    for (const auto& [from, write] : {std::pair{all.x, false},
                                      {all.r, false},
                                      {static_cast<const float*>(all.s), true},
                                      {static_cast<const float*>(all.y), true}}) {
      const auto place = std::int64_t(reinterpret_cast<std::intptr_t>(from) / 4);
      std::vector<int> count(std::size_t(of.rows * of.columns));
      for (const Touched& touch : recorder.touches)
        if (touch.write == write && touch.place >= place &&
            touch.place < place + std::int64_t(count.size()))
          ++count[std::size_t(touch.place - place)];
      found.push_back(float(*std::min_element(count.begin(), count.end())));
      found.push_back(float(*std::max_element(count.begin(), count.end())));
    }
  });
  return list(found);
}

}  // namespace

TEST_CASE("whole registers: 16 columns and multiples") {
  check("2 rows of 16", Case(2, 16, 1071));
  check("3 rows of 64", Case(3, 16 * given(4), 1072, 0, 0.5f));
  check_some_rows("rows 1 and 2 of 5", Case(5, 32, 1073), 1, 3);
}

TEST_CASE("odd sizes: what does not fill a register, and nothing beyond the end") {
  for (const int columns : {1, 5, 17, 31, given(100)})
    check("3 rows of " + std::to_string(columns), Case(3, columns, 1080 + std::uint64_t(columns)));
  const auto outside = [] {
    Numbers found;
    for (const int columns : {1, 5, 17, 31, given(100)})
      found.push_back(touched_outside(Case(4, columns, 1100 + std::uint64_t(columns))));
    return list(found);
  };
  COMPARE("numbers touched outside the requested rows, 1, 5, 17, 31, 100 columns",
          list({0, 0, 0, 0, 0}), outside());
}

TEST_CASE("numbers far from 0: the variance comes from deviations") {
  check("3 rows of 32 about 1000", Case(3, 32, 1091, 1000, 1e-3f));
  check("3 rows of 23 about -100", Case(3, 23, 1092, -100, 1e-3f));
}

TEST_CASE("the same digits with 1, 2, 3 and 4 threads") {
  const Case of(given(700), 64, 1093);
  const auto some = [&](const Numbers& all) {  // every 97th number, and the last
    Numbers found;
    for (std::size_t i = 0; i < all.size(); i += 97) found.push_back(all[i]);
    found.push_back(all[std::size_t(2 * of.rows * of.columns + behind - 1)]);
    return list(found);
  };
  const auto own = [&] {
    set_threads(2);
    return some(of.own([&](const ResidualNorm& all) { exercise::residual_norm(all, of.rows); }));
  };
  COMPARE("some of s and y with 2 threads", some(of.expected().values()), own());
  COMPARE("numbers whose bits differ, 2, 3 and 4 threads", list({0, 0, 0}), differing(of));
  const Case large(given(4000), 64, 1095);
  COMPARE("do both of 2 threads compute rows, of 4000 (1: yes)", list({1}),
          list({both_compute(large)}));
}

TEST_CASE("counted: x and r come once from memory, s and y go there once") {
  const Case of(given(40), 128, 1094);
  COMPARE("x read, r read, s written, y written: fewest and most times",
          list({1, 1, 1, 1, 1, 1, 1, 1}), times(of));
  COMPARE("lines moved for each that must move, a cache of 64 lines", list({1}), waste(of, 64));
}
