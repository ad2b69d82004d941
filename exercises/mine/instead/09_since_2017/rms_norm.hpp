#pragma once

#include <variant>

#include "03_layer_norm/layer_norm.hpp"
#include "09_since_2017/config.hpp"
#include "nn/linear.hpp"
#include "ops/rms_norm/rms_norm.hpp"

namespace xf::mine {

Tensor rms_norm(const Tensor& x, const Tensor& gamma, float eps);

}  // namespace xf::mine

#define rms_norm(...) mine::rms_norm(__VA_ARGS__)
#include "chapters/09_since_2017/rms_norm.hpp"
#undef rms_norm
