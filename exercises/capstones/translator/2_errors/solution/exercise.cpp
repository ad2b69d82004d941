#include "exercise.hpp"

#include <map>
#include <set>

namespace xf::exercise {

namespace {

using Grams = std::map<Sentence, long>;

Grams grams(const Sentence& words, std::size_t n) {
  Grams found;
  for (std::size_t i = 0; i + n <= words.size(); ++i)
    ++found[Sentence(words.begin() + std::ptrdiff_t(i), words.begin() + std::ptrdiff_t(i + n))];
  return found;
}

bool has_repetition(const Sentence& words) {
  for (std::size_t n = 1; n <= 3; ++n)
    for (std::size_t i = 0; i + 2 * n <= words.size(); ++i) {
      const auto first = words.begin() + std::ptrdiff_t(i);
      if (std::equal(first, first + std::ptrdiff_t(n), first + std::ptrdiff_t(n))) return true;
    }
  return false;
}

}  // namespace

Counts counts(const Sentence& translation, const Sentence& reference) {
  Counts found{.length = static_cast<long>(translation.size()),
               .reference_length = static_cast<long>(reference.size())};
  for (std::size_t n = 1; n <= 4; ++n) {
    Grams there = grams(reference, n);
    for (const auto& [gram, count] : grams(translation, n)) {
      found.all[n - 1] += count;
      found.matches[n - 1] += std::min(count, there[gram]);
    }
  }
  return found;
}

double bleu(const std::vector<Counts>& sentences) {
  Counts sum;
  for (const Counts& each : sentences) {
    for (std::size_t n = 0; n < 4; ++n) {
      sum.matches[n] += each.matches[n];
      sum.all[n] += each.all[n];
    }
    sum.length += each.length;
    sum.reference_length += each.reference_length;
  }
  double logs = 0;
  for (std::size_t n = 0; n < 4; ++n) {
    if (sum.matches[n] == 0) return 0;
    logs += std::log(double(sum.matches[n]) / double(sum.all[n]));
  }
  const double brevity = std::min(0.0, 1 - double(sum.reference_length) / double(sum.length));
  return 100 * std::exp(brevity + logs / 4);
}

std::vector<double> bleu_by_length(const std::vector<Counts>& sentences,
                                   const std::vector<int>& source_lengths,
                                   const std::vector<int>& limits) {
  std::vector<std::vector<Counts>> parts(limits.size() + 1);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto part = std::lower_bound(limits.begin(), limits.end(), source_lengths[i]);
    parts[std::size_t(part - limits.begin())].push_back(sentences[i]);
  }
  std::vector<double> scores;
  for (const std::vector<Counts>& part : parts) scores.push_back(part.empty() ? -1 : bleu(part));
  return scores;
}

double share_won(const std::vector<Counts>& a, const std::vector<Counts>& b, int samples,
                 Random& random) {
  int won = 0;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<Counts> of_a, of_b;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t drawn = std::size_t(random.below(static_cast<int>(a.size())));
      of_a.push_back(a[drawn]);
      of_b.push_back(b[drawn]);
    }
    won += bleu(of_a) > bleu(of_b);
  }
  return double(won) / samples;
}

Signs signs(const Sentence& source, const Sentence& translation, const Sentence& reference) {
  const double length = double(translation.size()), wanted = double(reference.size());
  const std::set<std::string> written(translation.begin(), translation.end());
  const auto copied = std::count_if(source.begin(), source.end(),
                                    [&](const std::string& word) { return written.count(word); });
  const bool too_short = length < 0.6 * wanted;
  const bool too_long = length > 1.6 * wanted;
  return {.repeats = has_repetition(translation) && !has_repetition(reference),
          .too_short = too_short,
          .too_long = too_long,
          .copies = 2 * copied >= std::ssize(source)};
}

}  // namespace xf::exercise
