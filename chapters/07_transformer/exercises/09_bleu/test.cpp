#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Sentences = std::vector<exercise::Sentence>;

// Sentences of these lengths, of few words, so that runs repeat. With XF_SALT, some are longer,
// there are more of them, and the words have other ids.
Sentences random(const std::vector<int>& lengths, std::uint64_t seed, int words = 3) {
  Random source(exercise::salted(seed));
  const int step = exercise::given(1, 1, 900), more = exercise::given(0, 0, 6);
  Sentences sentences(lengths.size() + std::size_t(more));
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    int length = s < lengths.size() ? lengths[s] : source.below(12);
    if (exercise::salted(0) != 0) length += source.below(4);
    for (int i = 0; i < length; ++i) sentences[s].push_back(step * source.below(words));
  }
  return sentences;
}

// Found: each run of the translation takes one of the reference away.
double precision(const Sentences& translations, const Sentences& references, int n) {
  int found = 0, all = 0;
  for (std::size_t s = 0; s < translations.size(); ++s) {
    const exercise::Sentence &ours = translations[s], &theirs = references[s];
    std::vector<bool> taken(theirs.size(), false);
    for (int i = 0; i + n <= int(ours.size()); ++i, ++all)
      for (int j = 0; j + n <= int(theirs.size()); ++j)
        if (!taken[std::size_t(j)] &&
            std::equal(ours.begin() + i, ours.begin() + i + n, theirs.begin() + j)) {
          taken[std::size_t(j)] = true;
          ++found;
          break;
        }
  }
  return all == 0 ? 0 : double(found) / all;
}

Tensor four(const std::array<double, 4>& p) {
  return Tensor::from({4}, {float(p[0]), float(p[1]), float(p[2]), float(p[3])});
}

double score(const Sentences& translations, const Sentences& references) {
  double logs = 0, words = 0, wanted = 0;
  for (int n = 1; n <= 4; ++n) {
    const double p = precision(translations, references, n);
    if (p == 0) return 0;
    logs += std::log(p) / 4;
  }
  for (std::size_t s = 0; s < translations.size(); ++s) {
    words += double(translations[s].size());
    wanted += double(references[s].size());
  }
  return 100 * std::exp(logs + std::min(0.0, 1 - wanted / words));
}

void check(const std::string& what, const Sentences& translations, const Sentences& references) {
  const auto all = [&] {
    std::array<double, 4> p;
    for (int n = 1; n <= 4; ++n) p[std::size_t(n - 1)] = precision(translations, references, n);
    return four(p);
  };
  COMPARE("precisions, " + what, all(), four(exercise::precisions(translations, references)));
  COMPARE("BLEU, " + what, Tensor::full({1}, float(score(translations, references))),
          Tensor::full({1}, float(exercise::bleu(translations, references))));
}

}  // namespace

TEST_CASE("equal texts score 100") {
  const Sentences same = random({5, 7}, 191);
  check("equal texts", same, same);
}

TEST_CASE("the the the: a word counts as often as the reference has it") {
  const int the = exercise::given(4, 0, 9);
  check("the example of the paper", {{the, the, the, the, the, the, the}},
        {{the, 10, 11, 12, the, 13}});
}

TEST_CASE("the sums are over all sentences") {
  check("6 sentences, 3 words", random({9, 4, 12, 2, 0, 7}, 192), random({9, 5, 11, 3, 1, 7}, 193));
  check("4 sentences, 2 words", random({6, 11, 1, 8}, 194, 2), random({6, 10, 1, 8}, 195, 2));
  const int words = exercise::given(50);
  check("2 sentences, 50 words", random({90, 80}, 200, words), random({85, 90}, 201, words));
}

TEST_CASE("short translations are penalised, long ones are not") {
  check("too short", random({8, 6, 9}, 196, 2), random({13, 9, 10}, 197, 2));
  check("too long", random({13, 9, 10}, 198, 2), random({8, 6, 9}, 199, 2));
}

TEST_CASE("one precision of 0 makes BLEU 0") {
  check("no run of 4 in common", {{1, 2, 3, 1, 2, 4}}, {{1, 2, 3, 5, 1, 2, 6}});
  check("no run of 4 at all", {{1, 2, 3}, {4}}, {{1, 2, 3}, {4}});
}
