#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

// Random weights of a causal head, of which `share` goes to the column that `rule` names.
template <class Rule>
Tensor map_of(int length, std::uint64_t seed, float share, const Rule& rule) {
  const Tensor scores = exercise::random({length, length}, seed);
  std::vector<float> weights(static_cast<std::size_t>(length) * std::size_t(length));
  for (int i = 0; i < length; ++i) {
    float* const row = weights.data() + i * length;
    float sum = 0;
    for (int j = 0; j <= i; ++j) sum += row[j] = std::exp(scores.data(Cpu{})[i * length + j]);
    const int named = rule(i);
    for (int j = 0; j <= i; ++j)
      row[j] = named < 0 ? row[j] / sum : (1 - share) * row[j] / sum + (j == named ? share : 0);
  }
  return Tensor::from({length, length}, weights);
}
Tensor anywhere(int length, std::uint64_t seed) {
  return map_of(length, seed, 0, [](int) { return -1; });
}

struct Twice {
  int before, period;
  int length() const { return before + 2 * period; }
};
Twice text(int usual_before, int usual_period) {
  return {exercise::given(usual_before), exercise::given(usual_period, usual_period, 20)};
}

// The mean of the cells (i, column(i)).
template <class Column>
Tensor mean(const Tensor& map, int first, const Column& column) {
  const int length = map.size(0);
  double sum = 0;
  for (int i = length - 1; i >= first; --i) sum += double(map.data(Cpu{})[i * length + column(i)]);
  return Tensor::from({1}, {float(sum / (length - first))});
}
Tensor number(float value) { return Tensor::from({1}, {value}); }

void check_any(const std::string& what, const Tensor& map) {
  COMPARE("on_first, " + what, mean(map, 2, [](int) { return 0; }),
          number(exercise::on_first(to_xt<2>(map))));
  COMPARE("on_previous, " + what, mean(map, 2, [](int i) { return i - 1; }),
          number(exercise::on_previous(to_xt<2>(map))));
}
void check_induction(const std::string& what, const Twice& t, std::uint64_t seed) {
  const Tensor map = anywhere(t.length(), seed);
  COMPARE("induction, " + what,
          mean(map, t.before + t.period, [&](int i) { return i - t.period + 1; }),
          number(exercise::induction(to_xt<2>(map), t.before, t.period)));
}
void check_duplicate(const std::string& what, const Twice& t, std::uint64_t seed) {
  const Tensor map = anywhere(t.length(), seed);
  COMPARE("duplicate, " + what, mean(map, t.before + t.period, [&](int i) { return i - t.period; }),
          number(exercise::duplicate(to_xt<2>(map), t.before, t.period)));
}

std::string job(const Tensor& map, const Twice& t) {
  const char* const names[] = {"rests", "looks_back", "copies", "finds_duplicates", "none"};
  const auto at = static_cast<std::size_t>(exercise::job_of(to_xt<2>(map), t.before, t.period));
  return at < std::size(names) ? names[at] : "another number";
}
// Heads of which `share` goes to one place, one after the other.
std::string jobs(const Twice& t, float share) {
  std::string found;
  const auto add = [&](std::uint64_t seed, const auto& rule) {
    found += (found.empty() ? "" : ", ") + job(map_of(t.length(), seed, share, rule), t);
  };
  add(961, [](int) { return 0; });
  add(962, [](int i) { return std::max(0, i - 1); });
  add(963, [&](int i) { return i < t.before + t.period ? -1 : i - t.period + 1; });
  add(964, [&](int i) { return i < t.before + t.period ? -1 : i - t.period; });
  add(965, [](int i) { return i; });
  return found;
}

}  // namespace

TEST_CASE("the first token, and the previous one") {
  check_any("T = 3", anywhere(3, 951));
  check_any("a longer text", anywhere(exercise::given(9, 9, 30), 952));
}

TEST_CASE("what came next the first time") {
  check_induction("one token before", text(1, 5), 953);
  check_induction("three tokens before", text(3, 4), 954);
}

TEST_CASE("the same token the first time") {
  check_duplicate("one token before", text(1, 5), 955);
  check_duplicate("three tokens before", text(3, 4), 956);
}

TEST_CASE("a short text, and one repeated with nothing before it") {
  const Twice none_before{0, exercise::given(4)}, two{1, 2};
  check_induction("nothing before", none_before, 957);
  check_duplicate("nothing before", none_before, 958);
  check_induction("two tokens", two, 959);
  check_duplicate("two tokens", two, 960);
}

TEST_CASE("a head with one job is named for it") {
  const Twice t = text(1, 12);
  COMPARE_TEXT("jobs, 0.9 of the weight",
               std::string("rests, looks_back, copies, finds_duplicates, none"), jobs(t, 0.9f));
  // More than half on the first token, and still more on what came next: the means are over other
  // queries.
  std::vector<float> weights(static_cast<std::size_t>(t.length()) * std::size_t(t.length()));
  for (int i = 0; i < t.length(); ++i) {
    const bool again = i >= t.before + t.period;
    float* const row = weights.data() + i * t.length();
    row[0] += again ? 0.1f : 1;
    if (again) row[i - t.period + 1] += 0.9f;
  }
  COMPARE_TEXT("much on the first token, more on what came next", std::string("rests"),
               job(Tensor::from({t.length(), t.length()}, weights), t));
}

TEST_CASE("a head without a job has no name") {
  const Twice t = text(2, 12);
  COMPARE_TEXT("jobs, 0.2 of the weight", std::string("none, none, none, none, none"),
               jobs(t, 0.2f));
  // Exactly half is not more than half, and the earlier measure counts.
  const auto halves = [&](int first, int second) {
    std::vector<float> weights(static_cast<std::size_t>(t.length()) * std::size_t(t.length()));
    const auto at = [&](int i, int j) -> float& {
      return weights[std::size_t(i * t.length() + j)];
    };
    for (int i = 0; i < t.length(); ++i) {
      const int places[] = {0, std::max(0, i - 1), std::max(0, i - t.period + 1),
                            std::max(0, i - t.period)};
      at(i, places[first]) += 0.5f, at(i, places[second]) += 0.5f;
    }
    return Tensor::from({t.length(), t.length()}, weights);
  };
  COMPARE_TEXT("half on what came next, half on the same token", std::string("none"),
               job(halves(2, 3), t));
  COMPARE_TEXT("all on the first token", std::string("rests"), job(halves(0, 0), t));
}
