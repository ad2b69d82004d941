#pragma once

#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// The gradient, with respect to the logits, of the mean, over the rows whose target is not padding,
// of
//   -sum_v q_v log p_v,   p = softmax(row),   q_v = smoothing / V + (1 - smoothing) [v = target]
//                                                               Vaswani et al. 2017, 5.4
//   logits: (R, V)   targets: R ids   returns (R, V), 0 in the rows of padding
xt::xtensor<float, 2> cross_entropy_backward(const xt::xtensor<float, 2>& logits,
                                             const std::vector<int>& targets, float smoothing,
                                             int padding);

}  // namespace xf::exercise
