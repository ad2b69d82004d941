#pragma once

#include "02_attention/attend.hpp"
#include "nn/linear.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf::mine {

// Attention with one head.   q: (B, 1, T, D)   k, v: (B, 1, S, D)   returns (B, T, D)
inline Tensor attention_of_one_head(const Tensor& q, const Tensor& k, const Tensor& v) {
  const auto rows = [](const Tensor& x) { return reshape(x, {x.size(0), x.size(2), x.size(3)}); };
  return attend(rows(q), {rows(k), rows(v)}, {});
}

}  // namespace xf::mine

#define attention mine::attention_of_one_head
#include "chapters/02_attention/recurrent.hpp"
#undef attention
