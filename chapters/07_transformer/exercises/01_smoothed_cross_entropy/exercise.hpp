#pragma once

#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// The mean over the rows r whose target is not `padding` of  -sum_v q_rv log p_rv,
//   log p_v = z_v - log sum_j exp(z_j),   q_v = (1 - smoothing) [v = target] + smoothing / V
//   logits: (R, V)   targets: R ids in [0, V), at least one of them no padding
float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding);

}  // namespace xf::exercise
