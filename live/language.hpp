#pragma once

#include "07_transformer/experiments/corpus.hpp"
#include "live/fields.hpp"

namespace xf::live {

// The training and held-out sentences of the little translator, generated on first use.
const CorpusSplit& language();

// The English words that follow the last two words of `beginning` in those sentences or, if there
// are none, follow the last word alone; at most 40, the most frequent first. For an empty
// `beginning`, the words that start a sentence.
std::vector<std::string> next_words(const std::string& beginning);

// {"sentences": 100000}: which English word may follow which, counted over those sentences and as
// many more of the same grammar as given here.
//   "words"  sorted by code point
//   "after"  for each of them, and last for the beginning of a sentence, the indices of the words
//            that follow; an index equal to the number of words marks the end
Json bigrams(Fields& request);

}  // namespace xf::live
