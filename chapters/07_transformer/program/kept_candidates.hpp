#pragma once

#include <vector>

#include "07_transformer/search_rules.hpp"
#include "plot/explorer.hpp"
#include "text/tokenizer.hpp"

namespace xf {

// Records the candidates of a search for one sentence: one list per step, best first.
SearchObserver kept_candidates(std::vector<std::vector<SearchCandidate>>& steps,
                               const Tokenizer& tokenizer);

}  // namespace xf
