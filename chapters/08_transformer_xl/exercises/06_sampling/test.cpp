#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Numbers = std::vector<double>;

Numbers numbers(const Tensor& x) {
  const std::vector<float> all = x.values();
  return Numbers(all.begin(), all.end());
}

Tensor list(const Numbers& x) {
  return Tensor::from({int(x.size())}, std::vector<float>(x.begin(), x.end()));
}

// How many words come before this one.
int rank(const Numbers& p, std::size_t v) {
  int before = 0;
  for (std::size_t w = 0; w < p.size(); ++w) before += p[w] > p[v] || (p[w] == p[v] && w < v);
  return before;
}

Numbers shares(Numbers p) {
  double total = 0;
  for (double each : p) total += each;
  for (double& each : p) each /= total;
  return p;
}

Numbers reference(const Numbers& logits, double temperature, int top_k, double top_p) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  Numbers p;
  for (double x : logits) p.push_back(std::exp((x - largest) / std::max(temperature, 1e-9)));
  const Numbers all = p;
  const int k = temperature == 0 ? 1 : top_k == 0 ? int(p.size()) : top_k;
  for (std::size_t v = 0; v < p.size(); ++v)
    if (rank(all, v) >= k) p[v] = 0;
  p = shares(p);
  Numbers kept = p;
  for (std::size_t v = 0; v < p.size(); ++v) {
    double before = 0;
    for (std::size_t w = 0; w < p.size(); ++w) before += rank(all, w) < rank(all, v) ? p[w] : 0;
    if (before >= top_p && before > 0) kept[v] = 0;
  }
  return shares(kept);
}

void check(const std::string& what, const Numbers& logits, double usual_temperature,
           int usual_top_k, double usual_top_p) {
  const double temperature = usual_temperature * exercise::given(1.0f, 0.7f, 1.5f);
  const int top_k =
      usual_top_k == 0 ? 0 : exercise::given(usual_top_k, usual_top_k, usual_top_k + 9);
  const double top_p = usual_top_p == 1 ? 1 : usual_top_p * exercise::given(1.0f, 0.8f, 1.03f);
  COMPARE("r, " + what, list(reference(logits, temperature, top_k, top_p)),
          list(exercise::distribution(logits, temperature, top_k, top_p)));
}

Numbers random(int count, std::uint64_t seed, float deviation = 1.5f) {
  return numbers(exercise::random({exercise::given(count, count, count + 30)}, seed, deviation));
}

}  // namespace

TEST_CASE("the temperature sharpens and flattens") {
  for (const double temperature : {1.0, 0.4, 3.0, 0.0})
    check("temperature " + std::to_string(temperature).substr(0, 3), random(6, 281), temperature, 0,
          1);
}

TEST_CASE("top-k keeps the k most probable words") {
  check("k = 3 of 8", random(8, 282), 1, 3, 1);
  check("k = 20 of 5", random(5, 283), 1, 20, 1);
}

TEST_CASE("top-p keeps the fewest that reach p") {
  for (const double p : {0.3, 0.75, 0.95})
    check("p = " + std::to_string(p).substr(0, 4), random(9, 284), 1, 0, p);
  check("p = 0.5 of 4 equal ones: two reach it exactly", Numbers(4, 0), 1, 0, 0.5);
}

TEST_CASE("all together, and equal probabilities") {
  check("temperature 0.7, k = 4, p = 0.8", random(10, 285), 0.7, 4, 0.8);
  check("k = 2 of equal ones", numbers(exercise::given({5}, {1, 2, 2, 2, 0})), 2, 2, 1);
  check("k = 3, p = 0.6, of 8 almost equal",
        numbers(exercise::given({8}, {2, 1.8f, 1.6f, 1.4f, 1.2f, 1, 0.8f, 0.6f})), 1, 3, 0.6);
  const Numbers large = random(7, 286, 3000);
  check("logits of several thousand", large, 2, 3, 0.9);
  check("logits of several thousand, k = 0, p = 1", large, 2, 0, 1);
  check("logits of several thousand, k = 3, p = 1", large, 2, 3, 1);
  check("logits of several thousand, k = 0, p = 0.9", large, 2, 0, 0.9);
  Random source(exercise::salted(287));  // so many that a sort may change the order of equal ones
  Numbers few_different;
  for (int words = exercise::given(40, 30, 60); words > 0; --words)
    few_different.push_back(0.5 * source.below(4));
  check("k = 7 of 40 words, four different logits", few_different, 1, 7, 1);
  check("p = 0.3 of 40 words, four different logits", few_different, 2, 0, 0.3);
  check("temperature 0 of 40 words, four different logits", few_different, 0, 0, 1);
  Numbers two_largest;
  for (int each : exercise::shuffled({{1, 6}, {3, 0, 4, 1, 2, 5}}))
    two_largest.push_back(Numbers{2, 2, 1.5, 1, 0, -1}[std::size_t(each)]);
  check("temperature 0, two equally large", two_largest, 0, 0, 1);
  check("temperature 0, k = 3, p = 0.6, two equally large", two_largest, 0, 3, 0.6);
}

TEST_CASE("a word is drawn by the running sum of probabilities") {
  const Ids order = exercise::shuffled({{1, 6}, {0, 1, 2, 3, 4, 5}});
  Numbers p;
  for (int each : order) p.push_back(Numbers{0, 0.25, 0, 0.5, 0.2499999, 0}[std::size_t(each)]);
  p.insert(p.begin(), std::size_t(exercise::given(0, 3, 40)), 0);
  Numbers us = {0, 0.2, 0.25, 0.5, 0.74, 0.8, 0.99999999};
  const auto id = [&](double u) {  // the first word beyond u; above them all, the last
    double below = 0;
    int last = 0;
    for (int v = 0; v < int(p.size()); ++v) {
      if (p[std::size_t(v)] == 0) continue;
      last = v;
      below += p[std::size_t(v)];
      if (u < below) break;
    }
    return last;
  };
  const auto wanted = [&] {
    Numbers ids;
    for (double u : us) ids.push_back(id(u));
    return list(ids);
  };
  Numbers drawn;
  const auto own = [&] {
    for (double u : us) drawn.push_back(exercise::draw(p, u));
    return list(drawn);
  };
  COMPARE("ids drawn for u = 0 to 0.99999999", wanted(), own());
  Random random(exercise::salted(288));
  p.resize(std::size_t(exercise::given(20, 20, 60)));
  for (double& each : p) each = random.below(3) == 0 ? 0 : random.uniform();
  p.back() = 0.1;
  p = shares(p);
  for (double& u : us) u = random.uniform();
  drawn.clear();
  COMPARE("ids drawn for a drawn distribution, and drawn u", wanted(), own());
}
