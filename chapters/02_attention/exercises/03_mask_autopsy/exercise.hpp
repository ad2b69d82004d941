#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// y_ts = m_ts exp(x_ts) / sum_j m_tj exp(x_tj); a row in which no key is allowed gets zeros.
//   scores, may: (T, S), may contains 1 and 0   returns (T, S)
xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may);

}  // namespace xf::exercise
