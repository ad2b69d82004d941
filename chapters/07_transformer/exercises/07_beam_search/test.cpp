#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using exercise::Cache;

// The cache after each call, behind its length.
KEEP("fed", keeper::notes("fed"));

// Log probabilities that depend on all that was fed: who has another's cache gets others.
struct Untrained {
  int words;
  std::uint64_t seed;
  double eos_bonus;
  double step = 0;  // many are equal when they are whole steps of this size

  std::vector<double> operator()(Cache& cache, int word, const keeper::Asked& fed) const {
    cache.push_back(word);
    std::vector<float> line = {static_cast<float>(cache.size())};
    line.insert(line.end(), cache.begin(), cache.end());
    fed.note(line);
    std::uint64_t state = exercise::salted(seed);
    for (int each : cache) state = mix(state ^ std::uint64_t(each + 1));
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
    return log_p;
  }
};

// The same search with everything thrown away between two steps: a beginning is its words, and its
// score and cache are computed anew from them.
exercise::Found reference(const Untrained& model, const keeper::Asked& fed, int width, int limit,
                          double alpha) {
  using Words = std::vector<int>;
  struct Way {
    double score;
    Words words;
  };
  std::vector<Way> beam = {{0, {}}};
  std::vector<exercise::Found> finished;
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
      const std::vector<double> log_p = model(cache, last, fed);
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
        finished.push_back({Words(way.words.begin(), way.words.end() - 1), result(way)});
      else if (int(beam.size()) < width)
        beam.push_back(way);
    }
  }
  const bool none = finished.empty();
  for (const Way& way : beam)
    if (none) finished.push_back({way.words, result(way)});
  exercise::Found best = finished[0];
  for (const exercise::Found& each : finished)
    if (each.result > best.result) best = each;
  return best;
}

Tensor flat(const exercise::Found& found) {
  std::vector<float> numbers(found.words.begin(), found.words.end());
  numbers.push_back(static_cast<float>(found.result));
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

void check(const std::string& what, const Untrained& model, int usual_width, int usual_limit,
           double usual_alpha) {
  const int width = exercise::given(usual_width), limit = exercise::given(usual_limit);
  const auto usual = static_cast<float>(usual_alpha);
  const double alpha = exercise::given(usual, 0.6f * usual, 1.4f * usual);
  const keeper::Asked fed("fed");
  const auto own = [&] {
    const auto decoder = [&](Cache& cache, int word) { return model(cache, word, fed); };
    return exercise::beam_search(decoder, width, limit, alpha);
  };
  COMPARE("words and result, " + what, flat(reference(model, fed, width, limit, alpha)),
          flat(own()));
  COMPARE("each length and cache fed, " + what, fed.all(), fed.all());
}

}  // namespace

TEST_CASE("K = 1 is greedy, but an eos that is second ends the sentence") {
  check("K = 1, V = 6", {6, 181, 0.5}, 1, 20, 0);
  check("K = 1, V = 7, eos is second", {7, 303, 0.8}, 1, 20, 0);
}

TEST_CASE("K beginnings, each with its own cache") {
  check("K = 3, V = 7", {7, 182, -1}, 3, 25, 0);
  check("K = 4, V = 9, alpha 0.6", {9, 183, 0}, 4, 25, 0.6);
  check("K = 5, V = 8, alpha 1", {8, 184, 0.5}, 5, 25, 1);
  check("K = 3, V = 12, an eos behind the K", {12, 412, 0.3}, 3, 20, 0.6);
}

TEST_CASE("equal scores: the earlier beginning first, then the smaller id") {
  check("K = 4, V = 30, equal scores", {30, 190, 0, 0.5}, 4, 12, 0);
  check("K = 2, V = 7, equal scores", {7, 191, 0, 1}, 2, 12, 0);
}

TEST_CASE("a small vocabulary: fewer continuations than 2 K") {
  check("K = 4, V = 5, alpha 0.3", {5, 185, -0.5}, 4, 15, 0.3);
}

TEST_CASE("the length penalty decides") {
  for (const double alpha : {0.0, 2.0})
    check(alpha > 0 ? "K = 3, V = 6, alpha 2" : "K = 3, V = 6, alpha 0", {6, 186, 1}, 3, 30, alpha);
  // Of twelve models the sentence with the largest sum is not always that with the best result.
  for (std::uint64_t seed = 420; seed < 432; ++seed)
    check("K = 4, V = 7, alpha 1.5, model " + std::to_string(seed - 419), {7, seed, 0.2}, 4, 12,
          1.5);
}

TEST_CASE("at the limit, the unfinished count if nothing else is there") {
  check("K = 3, limit 4, no eos", {12, 187, -30}, 3, 4, 0.8);
  check("K = 4, limit 3, a few end", {6, 188, 0.5}, 4, 3, 0.8);
}
