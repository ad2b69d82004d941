#pragma once

#include "nn/linear.hpp"
#include "ops/attention/attend_relative.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/heads/heads.hpp"
#include "ops/shape/shape_ops.hpp"
#define RelativeAttention RelativeAttentionOfTheBook
#include "chapters/08_transformer_xl/relative_attention.hpp"
#undef RelativeAttention

namespace xf {

struct RelativeAttention : RelativeAttentionOfTheBook {
  using RelativeAttentionOfTheBook::RelativeAttentionOfTheBook;
  Tensor operator()(const Tensor& x, const Keys& to, const GlobalBiases& bias,
                    const Mask& mask) const;
};

}  // namespace xf
