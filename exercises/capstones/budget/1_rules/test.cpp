#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::Fault, exercise::given, exercise::Plan, exercise::Run;

namespace {

Tensor numbers(const std::vector<double>& list) {
  return Tensor::from({static_cast<int>(list.size())},
                      std::vector<float>(list.begin(), list.end()));
}

// A whole number in groups of three digits, so that all of them are compared.
Tensor digits(std::int64_t number) {
  std::vector<double> groups;
  for (int i = 0; i < 6; ++i, number /= 1000) groups.insert(groups.begin(), double(number % 1000));
  return numbers(groups);
}

Plan small(int memory) {
  return {.vocabulary = given(11),
          .d_model = given(6),
          .d_ff = given(10),
          .layers = given(2),
          .segment = given(5),
          .memory = memory,
          .batch = given(3)};
}
const Plan large = {.vocabulary = 27000,
                    .d_model = 1024,
                    .d_ff = 4096,
                    .layers = 18,
                    .segment = 384,
                    .memory = 384,
                    .batch = 22};

// ---- what the plan's tensors and products are, one by one
// ----------------------------------------------------------------------------------------------

std::int64_t parameters_of(const Plan& p) {
  std::int64_t sum = 0;
  const auto matrix = [&](std::int64_t rows, std::int64_t columns) { sum += rows * columns; };
  matrix(p.vocabulary, p.d_model);
  matrix(1, p.vocabulary);
  for (int bias = 0; bias < 2; ++bias) matrix(1, p.d_model);
  for (int layer = 0; layer < p.layers; ++layer) {
    for (int weight = 0; weight < 5; ++weight) matrix(p.d_model, p.d_model);
    for (int norm = 0; norm < 2; ++norm) matrix(2, p.d_model);
    matrix(p.d_ff, p.d_model);
    matrix(1, p.d_ff);
    matrix(p.d_model, p.d_ff);
    matrix(1, p.d_model);
  }
  matrix(2, p.d_model);
  return sum;
}

std::int64_t products_of(const Plan& p) {
  std::int64_t sum = 0;
  const int keys = p.memory + p.segment;
  const auto product = [&](std::int64_t rows, std::int64_t inner, std::int64_t columns) {
    sum += rows * inner * columns;
  };
  for (int layer = 0; layer < p.layers; ++layer) {
    product(keys, p.d_model, p.d_model);
    for (int stream = 0; stream < p.batch; ++stream) {
      for (int rows : {p.segment, p.segment, keys, keys}) product(rows, p.d_model, p.d_model);
      for (int each = 0; each < 3; ++each) product(p.segment, p.d_model, keys);
      product(p.segment, p.d_model, p.d_ff);
      product(p.segment, p.d_ff, p.d_model);
    }
  }
  for (int stream = 0; stream < p.batch; ++stream) product(p.segment, p.d_model, p.vocabulary);
  return sum;
}

// ---- split
// ---------------------------------------------------------------------------------------

// Lines of some letters each, and a last one that may not end.
std::string lines(int count, std::uint64_t seed, bool ends) {
  Random random(exercise::salted(seed));
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (int letters = random.below(12); letters > 0; --letters)
      text += static_cast<char>('a' + random.below(26));
    if (i + 1 < count || ends) text += '\n';
  }
  return text;
}

// Line by line, to the first part whose percentage is not yet full.
void check_split(const std::string& what, const std::string& text, int valid, int test) {
  const auto spelled = [](const std::vector<std::string>& parts) {
    std::vector<double> list;
    for (const std::string& part : parts) {
      list.push_back(double(part.size()));
      list.insert(list.end(), part.begin(), part.end());
    }
    return numbers(list);
  };
  const auto wanted = [&] {
    const std::size_t n = text.size();
    const std::size_t ends[] = {n * std::size_t(100 - valid - test) / 100,
                                n * std::size_t(100 - test) / 100};
    std::vector<std::string> parts(3);
    for (std::size_t at = 0; at < n;) {
      const std::size_t end =
          std::min(n, text.find('\n', at) == text.npos ? n : text.find('\n', at) + 1);
      parts[at < ends[0] ? 0 : at < ends[1] ? 1 : 2] += text.substr(at, end - at);
      at = end;
    }
    return spelled(parts);
  };
  const auto own = [&] {
    const exercise::Parts parts = exercise::split(text, valid, test);
    return spelled({parts.train, parts.valid, parts.test});
  };
  COMPARE("length and characters of each part, " + what, wanted(), own());
}

// ---- the table
// -----------------------------------------------------------------------------------

Tensor codes(const std::vector<Fault>& list) {
  std::vector<double> codes;
  for (Fault each : list) codes.push_back(static_cast<int>(each));
  return numbers(codes);
}

Tensor told(const exercise::Difference& d) { return numbers({d.mean, d.margin, double(d.seeds)}); }

// Runs of several settings, the same seeds in an order of each setting's own.
std::vector<Run> runs(int seeds, std::uint64_t seed) {
  Random random(exercise::salted(seed));
  std::vector<Run> table;
  for (const char* setting : {"far", "near", "none"})
    for (int i = 0; i < seeds; ++i)
      table.push_back({setting, i + 1, 1000, 1000, 2.5 + 0.2 * random.normal()});
  random.shuffle(table.begin(), table.end());
  return table;
}

// From all pairs of differences: sum (d_i - d_j)^2 over i < j is n sum (d - mean)^2.
exercise::Difference from_pairs(const std::vector<Run>& table, const std::string& one,
                                const std::string& other) {
  std::vector<double> d;
  for (int seed = 1; seed <= 20; ++seed) {
    double found[2] = {};
    for (const Run& run : table)
      if (run.seed == seed)
        (run.setting == one ? found[0] : found[1]) +=
            run.setting == one || run.setting == other ? run.valid : 0;
    if (found[0] > 0 && found[1] > 0) d.push_back(found[1] - found[0]);
  }
  const double n = double(d.size());
  double pairs = 0;
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) pairs += (d[i] - d[j]) * (d[i] - d[j]);
  return {std::accumulate(d.begin(), d.end(), 0.0) / n,
          exercise::student[d.size() - 1] * std::sqrt(pairs / (n - 1)) / n, int(d.size())};
}

void check_difference(const std::string& what, const std::vector<Run>& table, const char* one,
                      const char* other) {
  COMPARE("mean, margin and seeds, " + what, told(from_pairs(table, one, other)),
          told(exercise::difference(table, one, other)));
}

Tensor refusal(const std::vector<Run>& table) {
  try {
    exercise::difference(table, "near", "far");
  } catch (const std::invalid_argument&) {
    return numbers({1});
  }
  return numbers({0});
}

}  // namespace

TEST_CASE("count_parameters: every tensor once") {
  COMPARE("of a small model", digits(parameters_of(small(4))),
          digits(exercise::count_parameters(small(4))));
  COMPARE("of a large one", digits(parameters_of(large)),
          digits(exercise::count_parameters(large)));
}

TEST_CASE("multiply_adds: every product of a forward pass") {
  COMPARE("without memory", digits(products_of(small(0))),
          digits(exercise::multiply_adds(small(0))));
  COMPARE("memory 4", digits(products_of(small(4))), digits(exercise::multiply_adds(small(4))));
  COMPARE("of a large model", digits(products_of(large)), digits(exercise::multiply_adds(large)));
}

TEST_CASE("affordable_updates: three passes each, never more than the budget") {
  const std::int64_t step = 3 * products_of(small(4));
  for (std::int64_t budget : {7 * step, 7 * step - 1, step - 1})
    COMPARE("a budget of " + std::string(budget == 7 * step ? "7"
                                         : budget < step    ? "less than 1"
                                                            : "almost 7"),
            digits(budget / step), digits(exercise::affordable_updates(small(4), budget)));
  COMPARE("of a large model", digits(1'000'000'000'000'000 / (3 * products_of(large))),
          digits(exercise::affordable_updates(large, 1'000'000'000'000'000)));
}

TEST_CASE("split: in order, by whole lines, nothing twice") {
  check_split("40 lines", lines(given(40), 1001, true), 10, 10);
  check_split("30 lines, the last not ended", lines(given(30), 1002, false), 20, 5);
  check_split("a cut behind a line break", "aaaa\nbbbb\ncccc\ndddd\neeee\n", 20, 20);
  check_split("nothing for the test", lines(given(20), 1003, true), 25, 0);
}

TEST_CASE("faults: beyond the budget, twice, and a test that was looked at too early") {
  const std::int64_t p = given(1000), b = given(5000);
  const std::vector<Run> table = {
      {"near", 1, p, b, 2.50, 2.60},     {"near", 2, p, b, 2.60, 2.70},
      {"far", 1, p, b, 2.40, 2.50},      {"far", 2, p, b, 2.90},
      {"wide", 1, p + 1, b, 1.90, 1.95}, {"long", 1, p, b + 1, 1.80, 1.85},
      {"near", 2, p, b, 2.10, 2.20},     {"none", 1, p - 1, b - 1, 2.70, 2.75},
      {"far", 2, p, b + 1, 2.20},        {"far", 3, p, b, 2.41}};
  using enum Fault;
  COMPARE("of each of 10 runs",
          codes({none, none, peeked, none, over_budget, over_budget, repeated, peeked, over_budget,
                 none}),
          codes(exercise::faults(table, p, b)));
  // Twice, one of them over the budget: which of both is the first decides.
  const std::vector<Run> again = {{"near", 1, p, b + 1, 2.5},
                                  {"near", 1, p, b, 2.4},
                                  {"far", 1, p, b, 2.6, 2.7},
                                  {"far", 2, p, b, 2.3, 2.4}};
  COMPARE("of a run that was made again", codes({over_budget, repeated, none, none}),
          codes(exercise::faults(again, p, b)));
}

TEST_CASE("difference: seed by seed, with its margin") {
  check_difference("5 seeds", runs(5, 1011), "near", "none");
  check_difference("the other way", runs(5, 1011), "none", "near");
  check_difference("3 seeds", runs(3, 1012), "far", "near");
  std::vector<Run> some = runs(6, 1013);
  std::erase_if(some, [](const Run& run) { return run.setting == "far" && run.seed % 3 == 0; });
  check_difference("4 seeds of 6", some, "far", "near");
  COMPARE("one seed is refused", numbers({1}), refusal(runs(1, 1014)));
}
