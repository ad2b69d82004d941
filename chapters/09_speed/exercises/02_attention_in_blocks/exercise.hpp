#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

struct Attended {
  xt::xtensor<float, 2> output;  // (T, d_v)
  int blocks_read = 0;           // for all queries together
};

// softmax(q k^T / sqrt(d_k)) v, a block of keys at a time. With `causal`, query i sees the keys
// j <= i + S - T, and a block without one of these is not read; no key: 0.  Dao et al. 2022, 3.1
//   q: (T, d_k)   k: (S, d_k)   v: (S, d_v)
Attended attention_in_blocks(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                             const xt::xtensor<float, 2>& v, int block, bool causal);

}  // namespace xf::exercise
