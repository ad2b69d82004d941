#pragma once

#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

inline constexpr int pad = 0, bos = 1, eos = 2;

using Cache = std::vector<int>;  // the words fed so far
// Appends the word to the cache; returns the log probabilities of the next word, (V).
using Decoder = std::function<std::vector<double>(Cache& cache, int word)>;

struct Found {
  std::vector<int> words;  // without bos and eos
  double result;           // the sum of the log probabilities / ((5 + n) / 6)^alpha
};

// The best of the sentences that `width` prefixes at a time lead to; n counts eos, too. Of the best
// 2 width continuations of a step, each that ends in eos is finished.
//                                                            Wu et al. 2016, 7
Found beam_search(const Decoder& decoder, int width, int limit, double alpha);

}  // namespace xf::exercise
