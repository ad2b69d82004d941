#pragma once

#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// softmax(logits / temperature), of which the top_k most probable words are kept (0: all), and of
// these the fewest whose share reaches top_p; the sum is 1.            Holtzman et al. 2020, 3.1
//   logits: (V)   temperature 0: the likeliest word alone   returns (V)
std::vector<double> distribution(const std::vector<double>& logits, double temperature, int top_k,
                                 double top_p);

// The first id at which the sum of the probabilities is larger than u; if rounding leaves none, the
// last word whose probability is not 0.   u: in [0, 1)
int draw(const std::vector<double>& probabilities, double u);

}  // namespace xf::exercise
