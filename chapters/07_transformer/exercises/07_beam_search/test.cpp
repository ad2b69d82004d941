#include "support/test.hpp"
#include "exercise.hpp"

#include <map>

using namespace xf;

namespace {

using exercise::Cache;

// ---- the models, which write down what they are fed ---------------------------------------------

struct Search {
  const char* what;
  int words;
  std::uint64_t seed;
  double eos_bonus, step;  // many scores are equal when they are whole steps of this size
  int width, limit;
  double alpha;
  bool penalty_decides = false;  // the best sum is that of another sentence
};
// Those of the tests, by number.
const std::vector<Search> searches = {
    {"K = 1, V = 6", 6, 181, 0.5, 0, 1, 20, 0},
    {"K = 1, V = 7, eos is second", 7, 303, 0.8, 0, 1, 20, 0},
    {"K = 3, V = 7", 7, 182, -1, 0, 3, 25, 0},
    {"K = 4, V = 9, alpha 0.6", 9, 183, 0, 0, 4, 25, 0.6},
    {"K = 5, V = 8, alpha 1", 8, 184, 0.5, 0, 5, 25, 1},
    {"K = 3, V = 12, an eos behind the K", 12, 412, 0.3, 0, 3, 20, 0.6},
    {"K = 4, V = 30, equal scores", 30, 190, 0, 0.5, 4, 12, 0},
    {"K = 2, V = 7, equal scores", 7, 191, 0, 1, 2, 12, 0},
    {"K = 4, V = 5, alpha 0.3", 5, 185, -0.5, 0, 4, 15, 0.3},
    {"K = 3, V = 6, alpha 0", 6, 186, 1, 0, 3, 30, 0},
    {"K = 3, V = 6, alpha 2", 6, 186, 1, 0, 3, 30, 2},
    {"K = 4, V = 8, alpha 1, the best sum is another's", 8, 192, 0, 0, 4, 20, 1, true},
    {"K = 2, V = 9, alpha 0.7, the best sum is another's", 9, 193, 0.5, 0, 2, 20, 0.7, true},
    {"K = 3, limit 4, no eos", 12, 187, -30, 0, 3, 4, 0.8},
    {"K = 4, limit 3, a few end", 6, 188, 0.5, 0, 4, 3, 0.8}};

// With XF_SALT, other numbers.
Search given(Search search) {
  const auto usual = static_cast<float>(search.alpha);
  search.words = exercise::given(search.words, search.words + 1, search.words + 6);
  search.width = exercise::given(search.width), search.limit = exercise::given(search.limit);
  search.alpha = exercise::given(usual, 0.6f * usual, 1.4f * usual);
  return search;
}

// Log probabilities that depend on all that was fed: who has another's cache gets others.
struct Untrained {
  int words;
  std::uint64_t seed;
  double eos_bonus, step;
  std::vector<float> fed = {};  // each length and cache after each call

  std::vector<float> operator()(Cache& cache, int word) {
    cache.push_back(word);
    fed.push_back(static_cast<float>(cache.size()));
    fed.insert(fed.end(), cache.begin(), cache.end());
    std::uint64_t state = seed;
    for (int each : cache) state = mix(state ^ (std::uint64_t(std::int64_t(each)) + 1));
    Random random(state);
    std::vector<double> log_p;
    double total = 0;
    for (int v = 0; v < words; ++v) {
      log_p.push_back(1.5 * random.normal() + (v == 2 ? eos_bonus : 0) + (v < 2 ? 1.0 : 0));
      total += std::exp(log_p.back());
    }
    for (double& each : log_p) each -= std::log(total);
    for (double& each : log_p)
      if (step > 0) each = step * std::round(each / step);
    return std::vector<float>(log_p.begin(), log_p.end());
  }
};

// The same search with everything thrown away between two steps: a prefix is its words, and its
// score and cache are computed anew from them. `decides`: whether another one has the best sum.
exercise::Found reference(Untrained& model, int width, int limit, double alpha, bool& decides) {
  using Words = std::vector<int>;
  struct Way {
    double score;
    Words words;
  };
  std::vector<Way> beam = {{0, {}}}, finished;
  const auto result = [&](const Way& way) {
    return way.score * std::pow(6 / (5.0 + double(way.words.size())), alpha);
  };
  for (int t = 0; t < limit && int(finished.size()) < width; ++t) {
    std::vector<Way> all;
    for (const Way& way : beam) {
      Cache cache = {1};
      cache.insert(cache.end(), way.words.begin(), way.words.end());
      const int last = cache.back();
      cache.pop_back();
      const std::vector<float> log_p = model(cache, last);
      for (int v = 2; v < model.words; ++v) {
        all.push_back({way.score + log_p[std::size_t(v)], way.words});
        all.back().words.push_back(v);
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Way& a, const Way& b) { return a.score > b.score; });
    all.resize(std::min(all.size(), std::size_t(2 * width)));
    beam.clear();
    for (const Way& way : all) {
      if (way.words.back() == 2)
        finished.push_back(way);
      else if (int(beam.size()) < width)
        beam.push_back(way);
    }
  }
  if (finished.empty()) finished = beam;
  Way best = finished[0], best_sum = finished[0];
  for (const Way& each : finished) {
    if (result(each) > result(best)) best = each;
    if (each.score > best_sum.score) best_sum = each;
  }
  decides = best.words != best_sum.words;
  const double found = result(best);
  if (best.words.back() == 2) best.words.pop_back();
  return {best.words, found};
}

Untrained made(const Search& usual) {
  const Search search = given(usual);
  Untrained model{search.words, exercise::salted(search.seed), search.eos_bonus, search.step};
  for (bool decides = !search.penalty_decides; !decides; ++model.seed) {
    Untrained tried{model.words, model.seed + 1, model.eos_bonus, model.step};
    reference(tried, search.width, search.limit, search.alpha, decides);
  }
  return model;
}

Untrained& model(int number) {
  static std::map<int, Untrained> all;
  const auto known = all.find(number);
  if (known != all.end()) return known->second;
  return all.emplace(number, made(searches.at(std::size_t(number)))).first->second;
}

// All that a model was fed. Nothing is ever taken away from it.
Tensor all_fed(int number) {
  const std::vector<float>& fed = model(number).fed;
  return Tensor::from({static_cast<int>(fed.size())}, fed);
}

// ---- the learner's search -----------------------------------------------------------------------

Tensor flat(const exercise::Found& found) {
  std::vector<float> numbers(found.words.begin(), found.words.end());
  numbers.push_back(static_cast<float>(found.result));
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

void check(int number) {
  const Search search = given(searches[std::size_t(number)]);
  const auto own = [&] {
    const auto decoder = [&](Cache& cache, int word) {
      const std::vector<float> log_p = model(number)(cache, word);
      return std::vector<double>(log_p.begin(), log_p.end());
    };
    return exercise::beam_search(decoder, search.width, search.limit, search.alpha);
  };
  const auto wanted = [&] {
    bool decides = false;
    return reference(model(number), search.width, search.limit, search.alpha, decides);
  };
  const std::string what = search.what;
  COMPARE("words and result, " + what, flat(wanted()), flat(own()));
  COMPARE("each length and cache fed, " + what, all_fed(number), all_fed(number));
}

}  // namespace

TEST_CASE("K = 1 is greedy, but an eos in second place ends the sentence") {
  for (int number : {0, 1}) check(number);
}

TEST_CASE("K prefixes, each with its own cache") {
  for (int number : {2, 3, 4, 5}) check(number);
}

TEST_CASE("equal scores: the earlier prefix first, then the smaller id") {
  for (int number : {6, 7}) check(number);
}

TEST_CASE("a small vocabulary: fewer continuations than 2 K") { check(8); }

TEST_CASE("the length penalty decides") {
  for (int number : {9, 10, 11, 12}) check(number);
}

TEST_CASE("at the limit, the unfinished count if nothing else is there") {
  for (int number : {13, 14}) check(number);
}
