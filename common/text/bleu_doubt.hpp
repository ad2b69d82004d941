#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"
#include "text/bleu_tokens.hpp"

namespace xf {

// Why BLEU hardly distinguishes between translations of these references, as one line that names
// a better --bleu-tokens; empty if BLEU works. BLEU counts runs of up to four tokens: a corpus in
// which most sentences are shorter, or in which Chinese or Japanese words are not separated, scores
// 0 or close to it, whatever the translation.
Phrase bleu_doubt(const std::vector<std::string>& references, BleuTokens tokens);

}  // namespace xf
