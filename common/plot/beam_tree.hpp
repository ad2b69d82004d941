#pragma once

#include <string>
#include <vector>

#include "language/language.hpp"

#include "plot/explorer.hpp"

namespace xf {

// A beam search as a tree: a column for each step, a box for each candidate, best first, with the
// log p of its whole prefix, and a line from the prefix that it extends. Dropped candidates are
// grey, completed ones have a double border, the path to `result` is thick.
// Throws std::invalid_argument when there is no step.
std::string beam_tree_svg(const Phrase& title,
                          const std::vector<std::vector<SearchCandidate>>& search,
                          const std::vector<std::string>& result);

}  // namespace xf
