#include "exercise.hpp"

#include <map>
#include <set>

namespace xf::exercise {

std::int64_t count_parameters(const Plan& plan) {
  const std::int64_t v = plan.vocabulary, d = plan.d_model, f = plan.d_ff;
  const std::int64_t attention = 5 * d * d, norms = 4 * d, feed_forward = 2 * d * f + f + d;
  return v * d + v + 2 * d + plan.layers * (attention + norms + feed_forward) + 2 * d;
}

std::int64_t multiply_adds(const Plan& plan) {
  const std::int64_t d = plan.d_model, t = plan.segment, s = plan.memory + plan.segment;
  const std::int64_t projections = 2 * t * d * d + 2 * s * d * d;
  const std::int64_t attention = 3 * t * s * d;
  const std::int64_t feed_forward = 2 * t * d * plan.d_ff;
  const std::int64_t distances = s * d * d;
  const std::int64_t layer = plan.batch * (projections + attention + feed_forward) + distances;
  return plan.layers * layer + plan.batch * t * d * plan.vocabulary;
}

std::int64_t affordable_updates(const Plan& plan, std::int64_t budget) {
  return budget / (3 * multiply_adds(plan));
}

Parts split(const std::string& text, int valid, int test) {
  const auto cut = [&](int percent) {
    std::size_t at = text.size() * std::size_t(percent) / 100;
    while (at > 0 && at < text.size() && text[at - 1] != '\n') ++at;
    return at;
  };
  const std::size_t first = cut(100 - valid - test), second = cut(100 - test);
  return {text.substr(0, first), text.substr(first, second - first), text.substr(second)};
}

std::vector<Fault> faults(const std::vector<Run>& table, std::int64_t most_parameters,
                          std::int64_t budget) {
  std::vector<Fault> found(table.size(), Fault::none);
  std::set<std::pair<std::string, int>> seen;
  std::map<std::string, std::pair<double, int>> sums;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Run& run = table[i];
    const bool first = seen.insert({run.setting, run.seed}).second;
    if (run.parameters > most_parameters || run.multiply_adds > budget) {
      found[i] = Fault::over_budget;
    } else if (!first) {
      found[i] = Fault::repeated;
    } else {
      sums[run.setting].first += run.valid;
      ++sums[run.setting].second;
    }
  }
  std::string chosen;
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& [setting, sum] : sums)
    if (sum.first / sum.second < lowest) {
      lowest = sum.first / sum.second;
      chosen = setting;
    }
  for (std::size_t i = 0; i < table.size(); ++i)
    if (found[i] == Fault::none && table[i].test > 0 && table[i].setting != chosen)
      found[i] = Fault::peeked;
  return found;
}

Difference difference(const std::vector<Run>& table, const std::string& one,
                      const std::string& other) {
  std::vector<double> list;
  for (const Run& a : table)
    for (const Run& b : table)
      if (a.setting == one && b.setting == other && a.seed == b.seed)
        list.push_back(b.valid - a.valid);
  const int n = static_cast<int>(list.size());
  if (n < 2 || n > 10)
    throw std::invalid_argument("difference: " + std::to_string(n) +
                                " seeds in common, 2 to 10 are wanted");
  double mean = 0, squares = 0;
  for (double d : list) mean += d / n;
  for (double d : list) squares += (d - mean) * (d - mean);
  return {mean, student[n - 1] * std::sqrt(squares / (n - 1) / n), n};
}

}  // namespace xf::exercise
