#include "exercise.hpp"

namespace xf::exercise {

static std::map<Sentence, int> runs(const Sentence& words, std::size_t n) {
  std::map<Sentence, int> counts;
  for (std::size_t i = 0; i + n <= words.size(); ++i)
    ++counts[Sentence(words.begin() + static_cast<int>(i),
                      words.begin() + static_cast<int>(i + n))];
  return counts;
}

std::array<double, 4> precisions(const std::vector<Sentence>& translations,
                                 const std::vector<Sentence>& references) {
  std::array<double, 4> p{};
  for (std::size_t n = 1; n <= 4; ++n) {
    double found = 0, all = 0;
    for (std::size_t s = 0; s < translations.size(); ++s) {
      std::map<Sentence, int> known = runs(references[s], n);
      for (const auto& [run, count] : runs(translations[s], n)) {
        found += std::min(count, known[run]);
        all += count;
      }
    }
    p[n - 1] = all > 0 ? found / all : 0;
  }
  return p;
}

double bleu(const std::vector<Sentence>& translations, const std::vector<Sentence>& references) {
  double product = 1, c = 0, r = 0;
  for (double p : precisions(translations, references)) product *= p;
  if (product == 0) return 0;
  for (const Sentence& words : translations) c += static_cast<double>(words.size());
  for (const Sentence& words : references) r += static_cast<double>(words.size());
  const double penalty = c > r ? 1 : std::exp(1 - r / c);
  return 100 * penalty * std::pow(product, 0.25);
}

}  // namespace xf::exercise
