#pragma once

#include "07_transformer/experiments/corpus.hpp"

namespace xf::live {

// The sentences that the little translator learns from, and those held out. Made when first asked
// for.
const CorpusSplit& language();

// The English words that come after the last two words of `beginning` in those sentences, or where
// nothing does, after the last one; the most frequent first, at most 40. After nothing: what
// sentences begin with.
std::vector<std::string> next_words(const std::string& beginning);

}  // namespace xf::live
