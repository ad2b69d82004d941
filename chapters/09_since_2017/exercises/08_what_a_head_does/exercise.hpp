#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Map = xt::xtensor<float, 2>;  // (T, T): row i has the weights of query i

// The mean weight that the queries 2 ... T - 1 give to the first token.
float on_first(const Map& map);
// The same for the token before the query.
float on_previous(const Map& map);

// The text is `before` tokens, then `period` tokens that are said twice: T = before + 2 period. The
// mean weight that the queries of the second time give to the token that came after theirs the
// first time.                                        Olsson et al. 2022, "prefix matching"
float induction(const Map& map, int before, int period);
// The same for the query's own token of the first time.
float duplicate(const Map& map, int before, int period);

enum class Job { rests, looks_back, copies, finds_duplicates, none };

// The job that the head gives more than half of its weight to, by the four measures above in this
// order; none where there is no such measure.
Job job_of(const Map& map, int before, int period);

}  // namespace xf::exercise
