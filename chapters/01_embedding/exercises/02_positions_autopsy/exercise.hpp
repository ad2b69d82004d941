#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// PE(pos, 2i) = sin(pos / 10000^(2i/D)),  PE(pos, 2i+1) = cos(pos / 10000^(2i/D))
//   returns (length, D), D even                                  Vaswani et al. 2017, 3.5
xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model);

}  // namespace xf::exercise
