#include "exercise.hpp"

#include <numeric>

namespace xf::exercise {

std::vector<double> distribution(const std::vector<double>& logits, double temperature, int top_k,
                                 double top_p) {
  const std::size_t words = logits.size();
  std::vector<std::size_t> order(words);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  std::size_t kept = top_k == 0 ? words : std::min(words, static_cast<std::size_t>(top_k));
  if (temperature == 0) kept = 1;
  std::vector<double> r(words, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    const double gap = logits[order[i]] - logits[order[0]];
    total += r[order[i]] = temperature == 0 ? 1 : std::exp(gap / temperature);
  }
  double sum = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    if (i > 0 && sum >= top_p * total)
      r[order[i]] = 0;
    else
      sum += r[order[i]];
  }
  for (double& each : r) each /= sum;
  return r;
}

int draw(const std::vector<double>& probabilities, double u) {
  double sum = 0;
  int last = 0;
  for (std::size_t v = 0; v < probabilities.size(); ++v) {
    if (probabilities[v] > 0) last = static_cast<int>(v);
    sum += probabilities[v];
    if (sum > u) return static_cast<int>(v);
  }
  return last;
}

}  // namespace xf::exercise
