#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// E(ids)_t = sqrt(D) weight[ids_t]
//   ids: (T)   weight: (V, D)   returns (T, D)
xt::xtensor<float, 2> embed(const xt::xtensor<int, 1>& ids, const xt::xtensor<float, 2>& weight);

}  // namespace xf::exercise
