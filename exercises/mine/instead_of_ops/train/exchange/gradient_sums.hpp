#pragma once

#include "common/train/exchange/gradient_sums.hpp"
#include "tensor/xt.hpp"  // defines its own clip

namespace xf::mine {

double clip(GradientSums& g, double longest);

}  // namespace xf::mine

#define clip(...) mine::clip(__VA_ARGS__)
