#pragma once

#include <array>
#include <string>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Sentence = std::vector<std::string>;  // words, or characters

// What one sentence adds to BLEU: for n = 1 to 4, the n-grams of the translation, and those of them
// that the reference has, each counted at most as often as there.
struct Counts {
  std::array<long, 4> matches{}, all{};
  long length = 0, reference_length = 0;
};

Counts counts(const Sentence& translation, const Sentence& reference);

// BLEU of these sentences together, 0 to 100, from the sums of their counts; 0 where one of the
// four sums of matches is 0.                                        Papineni et al. 2002
//   BLEU = 100 min(1, exp(1 - R / C)) exp(1/4 sum_n log(matches_n / all_n))
double bleu(const std::vector<Counts>& sentences);

// BLEU of the sentences with a source of up to limits[0] words, of those with more, up to
// limits[1], …, and of those with more than the last: one more number than there are limits.
// Where there is no sentence, -1.
std::vector<double> bleu_by_length(const std::vector<Counts>& sentences,
                                   const std::vector<int>& source_lengths,
                                   const std::vector<int>& limits);

// In how many of `samples` draws system a has a higher BLEU than b, as a share. A draw takes as
// many sentences as there are, with replacement, the same ones for both: random.below(N) for one
// after the other.                                                          Koehn 2004
double share_won(const std::vector<Counts>& a, const std::vector<Counts>& b, int samples,
                 Random& random);

// What can be seen of a bad translation without knowing the languages.
struct Signs {
  bool repeats = false;    // a word, or two or three in a row, stand twice, one behind the other,
                           // and do not so in the reference
  bool too_short = false;  // less than 0.6 times the words of the reference
  bool too_long = false;   // more than 1.6 times
  bool copies = false;     // half of the source's words or more occur in the translation
};

Signs signs(const Sentence& source, const Sentence& translation, const Sentence& reference);

}  // namespace xf::exercise
