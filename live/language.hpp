#pragma once

#include "07_transformer/experiments/corpus.hpp"
#include "live/fields.hpp"

namespace xf::live {

// The sentences that the little translator learns from, and those held out. Made when first asked
// for.
const CorpusSplit& language();

// The English words that come after the last two words of `beginning` in those sentences, or where
// nothing does, after the last one; the most frequent first, at most 40. After nothing: what
// sentences begin with.
std::vector<std::string> next_words(const std::string& beginning);

// {"sentences": 100000}: which English word may follow which, in those sentences and so many others
// of the same grammar.
//   "words"  in the order of their characters
//   "after"  for each of them, and at last for the beginning of a sentence, the numbers of the
//   words
//            that follow; the number of words stands for the end
Json bigrams(Fields& request);

}  // namespace xf::live
