#pragma once

#include <array>
#include <map>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Sentence = std::vector<int>;  // the ids of its words

// p_1 to p_4: the share of the runs of n words that the reference has too, each counted at most as
// often as there; 0 where there are none. The sums are over all sentences.
//                                                            Papineni et al. 2002, 2.1 and 2.2
std::array<double, 4> precisions(const std::vector<Sentence>& translations,
                                 const std::vector<Sentence>& references);

// 100 BP (p_1 p_2 p_3 p_4)^(1/4), where BP = exp(1 - r / c) for c <= r words, else 1.
double bleu(const std::vector<Sentence>& translations, const std::vector<Sentence>& references);

}  // namespace xf::exercise
