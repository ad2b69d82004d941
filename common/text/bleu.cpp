#include "text/bleu.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <unordered_map>

#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "tensor/portable_math.hpp"

namespace xf {

namespace {

constexpr std::size_t orders = 4;

// The counts that BLEU needs of a corpus; n-grams of order n are at [n - 1].
struct Counts {
  std::array<long, orders> correct{}, total{};
  long hypothesis_length = 0, reference_length = 0;
};

using NgramCounts = std::unordered_map<std::string, long>;

// The n-grams of a sentence, joined by spaces, which no token contains.
NgramCounts ngrams(const std::vector<std::string>& tokens, std::size_t n) {
  NgramCounts counts;
  for (std::size_t first = 0; first + n <= tokens.size(); ++first)
    ++counts[joined(std::span(tokens).subspan(first, n), " ")];
  return counts;
}

void add_sentence(Counts& counts, const std::vector<std::string>& hypothesis,
                  const std::vector<std::string>& reference) {
  counts.hypothesis_length += static_cast<long>(hypothesis.size());
  counts.reference_length += static_cast<long>(reference.size());
  for (std::size_t n = 1; n <= orders; ++n) {
    const NgramCounts in_reference = ngrams(reference, n);
    for (const auto& [ngram, count] : ngrams(hypothesis, n)) {
      counts.total[n - 1] += count;
      const auto found = in_reference.find(ngram);
      if (found != in_reference.end()) counts.correct[n - 1] += std::min(count, found->second);
    }
  }
}

// The percentage of the hypotheses' n-grams that are correct, with "exp" smoothing; 0 from the
// first order for which no hypothesis is long enough.
std::array<double, orders> precisions_of(const Counts& counts) {
  std::array<double, orders> precisions{};
  double halving = 1;
  for (std::size_t n = 0; n < orders && counts.total[n] > 0; ++n) {
    const auto total = static_cast<double>(counts.total[n]);
    if (counts.correct[n] == 0) halving *= 2;
    precisions[n] = counts.correct[n] == 0 ? 100 / (halving * total)
                                           : 100 * static_cast<double>(counts.correct[n]) / total;
  }
  return precisions;
}

double brevity_penalty_of(const Counts& counts) {
  if (counts.hypothesis_length >= counts.reference_length) return 1;
  if (counts.hypothesis_length == 0) return 0;
  return portable::exp(1 - static_cast<double>(counts.reference_length) /
                               static_cast<double>(counts.hypothesis_length));
}

Bleu score(const Counts& counts) {
  Bleu result;
  result.hypothesis_length = counts.hypothesis_length;
  result.reference_length = counts.reference_length;
  result.brevity_penalty = brevity_penalty_of(counts);
  if (*std::max_element(counts.correct.begin(), counts.correct.end()) == 0) return result;
  result.precisions = precisions_of(counts);
  if (*std::min_element(result.precisions.begin(), result.precisions.end()) == 0) return result;
  double sum = 0;
  for (double precision : result.precisions) sum += portable::log(precision);
  result.score = result.brevity_penalty * portable::exp(sum / orders);
  return result;
}

}  // namespace

Bleu bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
          const BleuOptions& options) {
  if (hypotheses.empty() || hypotheses.size() != references.size())
    throw std::invalid_argument("bleu: " + std::to_string(hypotheses.size()) + " hypotheses, " +
                                std::to_string(references.size()) + " references");
  Counts counts;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    add_sentence(counts, bleu_tokens(hypotheses[i], options), bleu_tokens(references[i], options));
  Bleu result = score(counts);
  result.signature = std::string("nrefs:1|case:") + (options.lowercase ? "lc" : "mixed") +
                     "|eff:no|tok:" + name(options.tokens) + "|smooth:exp|version:xf-1.0";
  return result;
}

std::string Bleu::str() const {
  const double ratio = reference_length == 0 ? 0
                                             : static_cast<double>(hypothesis_length) /
                                                   static_cast<double>(reference_length);
  return formatted(
      "BLEU = %.2f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %ld ref_len = %ld)", score,
      precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty, ratio,
      hypothesis_length, reference_length);
}

}  // namespace xf
