#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"
#include "text/bleu_tokens.hpp"

namespace xf {

// Why BLEU hardly tells translations of these references apart, as one line that names the
// --bleu-tokens with which it does; empty where it does. It counts runs of up to four tokens: a
// corpus in which most sentences have fewer, or in which Chinese or Japanese words are not set
// apart, gets 0 or next to it, whatever is translated.
Phrase bleu_doubt(const std::vector<std::string>& references, BleuTokens tokens);

}  // namespace xf
