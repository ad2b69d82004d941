#pragma once

#include "common/ops/dropout/dropout.hpp"

namespace xf::mine {

Tensor dropout(const Tensor& x, float p);

}  // namespace xf::mine

#define dropout(...) mine::dropout(__VA_ARGS__)
