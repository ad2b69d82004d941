#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// y_ts = m_ts exp(x_ts) / sum_j m_tj exp(x_tj); a row that is allowed nothing gives zeros.
//   scores, may: (T, S), may holds 1 and 0   returns (T, S)
xt::xtensor<float, 2> masked_softmax(const xt::xtensor<float, 2>& scores,
                                     const xt::xtensor<float, 2>& may);

}  // namespace xf::exercise
