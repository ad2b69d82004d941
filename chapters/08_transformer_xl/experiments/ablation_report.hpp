#pragma once

#include <cstdint>

#include "08_transformer_xl/experiments/ablation.hpp"

namespace xf::language {

// Prints the tables and whether each claim holds, and writes into `out`:
//   ablation.csv           the loss of every model at every attention length
//   ablation_context.csv   the loss and the relative gain of every model from exact contexts
//   ablation.svg, ablation_context.svg    the means over the seeds as lines
// parameters: of each cell;   first_seed: of the first training
void report(const Ablation& a, const std::vector<std::int64_t>& parameters,
            std::uint64_t first_seed, const std::string& out);

}  // namespace xf::language
