#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"

#include "plot/explorer.hpp"

namespace xf {

// A beam search as a tree: a column for each step, a box for each way to go on that was weighed,
// best first, with the log p of everything up to it, and a line from what it goes on from. What was
// dropped is grey, what was completed has a double edge, the way to `result` is thick.
// Throws std::invalid_argument when there is no step.
std::string beam_tree_svg(const Phrase& title,
                          const std::vector<std::vector<SearchCandidate>>& search,
                          const std::vector<std::string>& result);

}  // namespace xf
