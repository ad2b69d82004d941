#pragma once

#include <vector>

#include "07_transformer/search_rules.hpp"
#include "plot/explorer.hpp"
#include "text/tokenizer.hpp"

namespace xf {

// Keeps the candidates of a search for one sentence: a list for each step, best first.
SearchObserver kept_candidates(std::vector<std::vector<SearchCandidate>>& steps,
                               const Tokenizer& tokenizer);

}  // namespace xf
