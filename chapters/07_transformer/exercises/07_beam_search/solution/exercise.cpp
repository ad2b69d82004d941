#include "exercise.hpp"

namespace xf::exercise {

struct Prefix {
  std::vector<int> words;
  double score = 0;
  Cache cache;
};

struct Continuation {
  std::size_t from;
  int word;
  double score;
};

static std::vector<Continuation> continuations(const Decoder& decoder, std::vector<Prefix>& beam) {
  std::vector<Continuation> all;
  for (std::size_t from = 0; from < beam.size(); ++from) {
    const int last = beam[from].words.empty() ? bos : beam[from].words.back();
    const std::vector<double> log_p = decoder(beam[from].cache, last);
    for (int word = eos; word < static_cast<int>(log_p.size()); ++word)
      all.push_back({from, word, beam[from].score + log_p[static_cast<std::size_t>(word)]});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Continuation& a, const Continuation& b) { return a.score > b.score; });
  return all;
}

static double penalty(std::size_t n, double alpha) {
  return std::pow((5 + static_cast<double>(n)) / 6, alpha);
}

Found beam_search(const Decoder& decoder, int width, int limit, double alpha) {
  const std::size_t wanted = static_cast<std::size_t>(width);
  std::vector<Prefix> beam(1);
  std::vector<Found> finished;
  for (int t = 0; t < limit && finished.size() < wanted; ++t) {
    const std::vector<Continuation> best = continuations(decoder, beam);
    std::vector<Prefix> next;
    for (std::size_t i = 0; i < std::min(2 * wanted, best.size()); ++i) {
      const Prefix& old = beam[best[i].from];
      if (best[i].word == eos) {
        const double lp = penalty(old.words.size() + 1, alpha);
        finished.push_back({old.words, best[i].score / lp});
      } else if (next.size() < wanted) {
        next.push_back({old.words, best[i].score, old.cache});
        next.back().words.push_back(best[i].word);
      }
    }
    beam = next;
  }
  if (finished.empty())
    for (const Prefix& each : beam)
      finished.push_back({each.words, each.score / penalty(each.words.size(), alpha)});
  return *std::max_element(finished.begin(), finished.end(),
                           [](const Found& a, const Found& b) { return a.result < b.result; });
}

}  // namespace xf::exercise
