#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// A sentence begins with `bos`; its last word is an `eos`.
using Sentence = std::vector<int>;
inline constexpr int bos = 0, eos = 1;

// The word that the model finds best behind these, which begin with `bos`.
using NextWord = std::function<int(const Sentence& words)>;

// The share of wrong words after `own` words of the model's own. For each position t >= own + 1 of
// each sentence: the model reads the true words up to position t - own - 1, then writes `own`
// words, always reading what it wrote, and then the word of position t, which is compared with the
// true one. With own = 0 that is teacher forcing. An `eos` it writes is a word like any other.
//   returns 0 where no sentence is long enough
double error_after(const NextWord& next, const std::vector<Sentence>& sentences, int own);

// The share of wrong words if it writes each sentence from `bos` alone, up to its length: position
// by position against the true words, all sentences together. Nor does an `eos` it writes end it.
double error_alone(const NextWord& next, const std::vector<Sentence>& sentences);

// What a decoder reads in scheduled sampling (Bengio et al. 2015), for one sentence: at each
// position the true word, or, where draw(position) is below `share`, the word that the model writes
// behind what is read up to there. Position 0 is always `bos`; the last word is read by nobody.
//   draw(t): in [0, 1), asked once for each position 1, 2, …, in order
//   returns the words read, one fewer than the sentence has
Sentence scheduled(const NextWord& next, const Sentence& sentence, double share,
                   const std::function<double(int)>& draw);

}  // namespace xf::exercise
